// Package gocore is the map of the runtime; it holds no code.
//
// Pure stages, each a flat package, composed once in harness. The command,
// the stdio server and the in-process facade are thin doors on that one room.
//
// Who may import whom, lowest layer first. A package sees those behind it in its
// row, which lie in lower layers, and no others; layers_test.go reads this table
// and fails on any other edge:
//
//	0  failure
//	0  strictjson
//	0  subprocess
//	0  pattern
//	0  shellscript
//	0  execenv
//	0  gitfile
//	0  spill
//	0  supervise
//	0  confine
//	0  fresh
//	0  trigram
//	1  execenv/execenvtest     execenv
//	1  strictjson/strictjsontest  strictjson
//	1  shellplan               strictjson
//	1  bundle                  strictjson
//	1  resolve                 strictjson execenv
//	2  ripgrep                 bundle subprocess
//	2  shellword               shellplan
//	2  establish               strictjson execenv gitfile pattern resolve shellplan shellscript
//	3  search                  failure ripgrep subprocess supervise
//	3  command                 gitfile shellplan shellscript shellword
//	3  shellsyntax             shellplan shellword
//	3  judge                   establish shellplan
//	4  render                  search
//	4  index                   fresh ripgrep search subprocess trigram
//	4  planner                 command shellplan shellsyntax shellword
//	5  tool                    strictjson failure search render spill supervise
//	6  harness                 (all below)
//	7  harness/dispatch        harness supervise (vocabulary)
//	8  server                  harness harness/dispatch (vocabulary)
//	8  pybind                  harness harness/dispatch (vocabulary)
//	9  cmd/hydra-harness-runtime  harness server supervise confine (vocabulary)
//
// The vocabulary are packages whose types stand in the signatures of harness: its
// callers name those types, and nothing else of them: failure strictjson search
// tool spill shellplan establish judge.
//
// The search half (subprocess to tool) and the shell half (shellplan to judge)
// meet only in harness.
//
// Powers that one place has alone. The same test resolves every call, also through
// syscall and unix, and fails for whoever else makes one:
//
//	end this process           cmd/hydra-harness-runtime
//	find the own executable    cmd/hydra-harness-runtime
//	take signals               cmd/hydra-harness-runtime
//	start or become a process  subprocess confine
//	signal a process           subprocess confine
//	watch files                fresh
//	call by a number           confine
//
// Only execenv resolves links and lists directories for the shell half, and spill
// for its own folder.
//
// The Go packages are not a promised API: what is promised is the command, the
// wire protocol and the Python package.
package gocore
