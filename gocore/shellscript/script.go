package shellscript

// languages are the readers, by the name that shellplan.Candidate.Script gives a
// language.
var languages = map[string]func(program []byte) (files []File, why string){"sed": Sed, "awk": Awk, "jq": Jq}

// ReadsOnly reports whether a program in a language of Candidate.Script does
// nothing but transform its input: it opens no file, runs no command and loads
// no module. What is not understood does not.
func ReadsOnly(language string, program []byte) bool {
	read, known := languages[language]
	if !known {
		return false
	}
	files, why := read(program)
	return why == "" && len(files) == 0
}
