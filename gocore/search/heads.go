package search

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"
)

const (
	// maxHeads is how many files are opened to see what encoding they are in.
	maxHeads = 8
	// headBytes is how much of them is read: the least that tells text from chance.
	headBytes = 512
)

// encoding is what the head of a file looks like.
type encoding uint8

const (
	plainText encoding = iota
	utf16Text          // UTF-16 without a byte-order mark, which ripgrep cannot know
	otherText          // neither UTF-8 nor binary
)

// encodingOf reads the start of a file and tells what it looks like.
func encodingOf(path string) encoding {
	file, err := os.Open(path)
	if err != nil {
		return plainText
	}
	defer file.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return plainText
	}
	return looksLike(head[:n], n < headBytes)
}

// looksLike judges the head of a file; whole tells that it is all of it.
func looksLike(head []byte, whole bool) encoding {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return plainText // with a mark ripgrep reads it
	}
	var nul [2]int
	for i, c := range head {
		if c == 0 {
			nul[i%2]++
		}
	}
	if nul[0]+nul[1] > 0 {
		// Text of letters that ASCII has, too, is every other byte a NUL.
		pairs := len(head) / 2
		if pairs >= 2 && (nul[0] == 0 && nul[1] > pairs*3/4 || nul[1] == 0 && nul[0] > pairs*3/4) {
			return utf16Text
		}
		return plainText
	}
	if !whole { // the last character may be cut
		for i := 1; i < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); i++ {
			head = head[:len(head)-1]
		}
	}
	if !utf8.Valid(head) {
		return otherText
	}
	return plainText
}
