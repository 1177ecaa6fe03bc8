// Package resolve says where one path leads, by the kernel's rules: links followed,
// `..` taken as the parent of the directory that was reached, what does not exist
// joined to the deepest directory that does. It is the one place that knows this, so
// that it can be read and attacked alone; package establish asks it for every word of
// a plan, from every directory the word may be taken from.
//
// What holds for every answer:
//   - nothing is cleaned before it is resolved: Clean is for answers that say of
//     themselves that they are lexical, and for the shell's own logical cd;
//   - a path that depends on the process which opens it (/proc/self, /dev/fd) leads
//     where the opener's directory and descriptors are known to lead, else nowhere;
//   - an environment that cannot answer makes no refusal of its own: the spelling
//     stands, as Lexical, unless the environment declares that it is the authority;
//   - the zero State is Unestablishable.
//
// It reads no directory and no file, expands no pattern and knows no roots: what a
// landing means is for packages establish and judge. Known limits: hard links and
// another inode at the same path are not seen; a mount point is passed like any
// directory; between the answer and the command's own open nothing is promised.
package resolve
