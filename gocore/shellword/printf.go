package shellword

import "strconv"

// Printf is printf for %s, %b without backslashes, %d, %c-less formats and the
// usual escapes; false for anything else.
//
// POSIX, "printf": the format is used again while arguments are left. Long
// because it is one automaton over the format.
func Printf(args []Field) ([]byte, bool) {
	f, ok := First(args)
	if !ok {
		return nil, false
	}
	var vals []string
	for _, a := range args[1:] {
		s, ok := a.Plain()
		if !ok {
			return nil, false
		}
		vals = append(vals, s)
	}
	var out []byte
	for round := 0; round == 0 || len(vals) > 0; round++ {
		used := false
		for i := 0; i < len(f); i++ {
			switch {
			case f[i] == '\\' && i+1 < len(f):
				i++
				switch f[i] {
				case 'n':
					out = append(out, '\n')
				case 't':
					out = append(out, '\t')
				case '\\':
					out = append(out, '\\')
				case '0':
					n := digits([]byte(f[i:]), 3, 8)
					v, _ := strconv.ParseUint(f[i:i+n], 8, 16)
					out = append(out, byte(v))
					i += n - 1
				default:
					return nil, false
				}
			case f[i] == '%' && i+1 < len(f):
				i++
				switch f[i] {
				case '%':
					out = append(out, '%')
				case 's', 'd':
					used = true
					v := ""
					if len(vals) > 0 {
						v, vals = vals[0], vals[1:]
					} else if f[i] == 'd' {
						v = "0"
					}
					if f[i] == 'd' && !IsInteger([]byte(v)) {
						return nil, false
					}
					out = append(out, v...)
				default:
					return nil, false
				}
			default:
				out = append(out, f[i])
			}
			if len(out) > MaxOutput {
				return nil, false
			}
		}
		if !used {
			break
		}
	}
	return out, true
}
