package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

const (
	// memberPath is where the packages keep the executable.
	memberPath = "package/bin/rg"
	// maxMember bounds what one member may unpack to, so that a hostile
	// archive cannot fill the memory while a new lock is made. ripgrep is
	// about 6 MB.
	maxMember = 64 << 20
)

// takeMember returns the bytes of package/bin/rg. The archive must hold exactly
// one member of that name and it must be a regular file: with two, which one
// counts would be the reader's whim; a link would point outside the digests.
func takeMember(tarball []byte, what string) ([]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, fail(CodeArchiveBroken, err, "%s is not gzip", what)
	}
	tr := tar.NewReader(zr)
	var found []byte
	for {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fail(CodeArchiveBroken, err, "%s is not a readable tar", what)
		}
		if header.Name != memberPath {
			continue
		}
		if header.Typeflag != tar.TypeReg {
			return nil, fail(CodeMemberKind, nil, "%s in %s is not a regular file (tar type %q)", memberPath, what, header.Typeflag)
		}
		if found != nil {
			return nil, fail(CodeMemberDuplicate, nil, "%s holds %s more than once", what, memberPath)
		}
		if header.Size > maxMember {
			return nil, fail(CodeMemberDiffers, nil, "%s in %s claims %d bytes; the limit is %d", memberPath, what, header.Size, maxMember)
		}
		if found, err = io.ReadAll(tr); err != nil {
			return nil, fail(CodeArchiveBroken, err, "%s breaks off inside %s", what, memberPath)
		}
	}
	// The end of the tar is not the end of the gzip stream, whose checksum
	// stands behind it.
	if _, err := io.Copy(io.Discard, zr); err != nil {
		return nil, fail(CodeArchiveBroken, err, "%s is cut off or damaged", what)
	}
	if found == nil {
		return nil, fail(CodeMemberMissing, nil, "%s holds no %s", what, memberPath)
	}
	return found, nil
}
