package gitfile

import (
	"bytes"
	"encoding/binary"
)

// Submodules are the paths of an index that are repositories of their own; false
// when the index is not one that is read here (the formats 2 to 4 are).
func Submodules(index []byte) ([]string, bool) {
	const header, fixed = 12, 62 // of an entry: times, numbers, mode, name of the object, flags
	if len(index) < header || string(index[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	var out []string
	var path []byte
	rest := index[header:]
	for range count {
		if len(rest) < fixed+1 {
			return nil, false
		}
		mode, flags := binary.BigEndian.Uint32(rest[24:]), binary.BigEndian.Uint16(rest[60:])
		n := fixed
		if version >= 3 && flags&0x4000 != 0 {
			n += 2
		}
		if version == 4 { // so many bytes of the path before are dropped
			drop, k := offsetVarint(rest[n:])
			if k == 0 || drop > len(path) {
				return nil, false
			}
			path, n = path[:len(path)-drop], n+k
		} else {
			path = path[:0]
		}
		end := bytes.IndexByte(rest[min(n, len(rest)):], 0)
		if end < 0 {
			return nil, false
		}
		path = append(path, rest[n:n+end]...)
		if version == 4 {
			n += end + 1
		} else {
			n = (n + end + 8) &^ 7
		}
		if mode == 0o160000 {
			out = append(out, string(path))
		}
		if mode == 0o040000 || n > len(rest) {
			return nil, false // a sparse index names directories
		}
		rest = rest[n:]
	}
	// Behind the entries stand the extensions; with `link` most entries are in
	// another file.
	return out, !bytes.HasPrefix(rest, []byte("link"))
}

// offsetVarint reads git's variable-width number and gives its length, 0 when
// there is none.
func offsetVarint(b []byte) (v, n int) {
	for n < len(b) && n < 5 {
		c := int(b[n])
		n++
		v = v<<7 | c&0x7f
		if c&0x80 == 0 {
			return v, n
		}
		v++
	}
	return 0, 0
}
