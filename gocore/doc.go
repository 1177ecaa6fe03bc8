// Package gocore is the map of the runtime; it holds no code.
//
// Pure stages, each a flat package, composed once in harness. The command,
// the stdio server and the in-process facade are thin doors on that one room.
//
// Import order, lowest layer first (layers_test.go fails on any other edge):
//
//	0  failure   subprocess   pattern   shellplan   shellscript   execenv   spill   fresh   trigram
//	1  ripgrep -> subprocess                shellword -> shellplan
//	2  search  -> failure, ripgrep, subprocess       establish -> execenv, pattern, shellplan, shellscript
//	                                        command   -> shellplan, shellscript, shellword
//	                                        planner   -> command, shellplan, shellword
//	3  render  -> search                    judge     -> establish, shellplan
//	4  tool    -> failure, search, render, spill
//	5  harness -> all of 0-4
//	6  harness/dispatch -> harness
//	7  server  -> harness, dispatch         pybind    -> harness, dispatch
//	8  cmd     -> harness, server
//
// The search half (subprocess to tool) and the shell half (shellplan to judge)
// meet only in harness. Only cmd ends the process, asks for its own executable
// or installs signal handlers; only subprocess starts processes; only execenv
// resolves links and lists directories for the shell half, and spill for its
// own folder.
//
// The Go packages are not a promised API: what is promised is the command, the
// wire protocol and the Python package.
package gocore
