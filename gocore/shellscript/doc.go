// Package shellscript reads programs in the small languages that commands take
// as a word or a file: sed scripts, awk programs, jq filters.
//
// It decides which files a program names and whether it does anything beyond its
// input and output: text in, (files, why) out, and why says what cannot be
// vouched for. It runs nothing and is no parser of the whole language: it reads
// as far as the question needs, and what it does not understand is a reason.
//
// It does not decide what a file name means: commands (their rows) make words of
// the names, and package establish asks ReadsOnly about a file that is a program.
//
// Known limits: awk programs are read as the common part of mawk, gawk and
// original-awk; a jq program that only mentions a module's word in a string
// counts as one that loads modules.
package shellscript
