package shellscript

// File is a file that a program names.
type File struct {
	Name []byte
	// Write says that it is written; it is read otherwise.
	Write bool
}
