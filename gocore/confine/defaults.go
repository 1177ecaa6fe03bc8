package confine

import (
	"path"
	"strings"
)

// systemRead are folders of the system that programs need to run at all.
var systemRead = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/etc", "/proc", "/sys", "/snap",
	"/run/systemd/resolve",
}

// systemDenied are the secrets among them. Root could read them otherwise.
var systemDenied = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/security/opasswd",
	"/etc/ssl/private", "/etc/krb5.keytab", "/etc/wireguard", "/etc/NetworkManager/system-connections",
}

// hostKeys is where the private keys of sshd lie, under names of their own.
const hostKeys = "/etc/ssh"

func isHostKey(name string) bool {
	return strings.HasPrefix(name, "ssh_host_") && strings.HasSuffix(name, "_key")
}

// homeRead are settings of git, and folders below a home that hold programs and
// sources which were fetched. What among them is denied stays denied.
var homeRead = []string{
	".gitconfig", ".config/git", "go/pkg/mod",
	".cargo", ".rustup", ".pyenv", ".nvm", ".local/lib", ".local/share/uv", ".local/share/pipx",
}

// rootVariables name folders of tools.
var rootVariables = []string{
	"GOROOT", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "VIRTUAL_ENV", "JAVA_HOME", "NVM_DIR", "PYENV_ROOT",
}

// devices may be read, written and told by ioctl. A terminal that is inherited
// is opened again by /dev/tty.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
}

// sharedMemory is where POSIX shared memory and semaphores are files.
const sharedMemory = "/dev/shm"

// toolRoot is what a folder on PATH needs to be read for its programs to run:
// the folder around bin, in which libraries and the rest of an installation lie.
// The home itself, what holds it and ~/.local are never it.
func toolRoot(folder, home string) string {
	switch path.Base(folder) {
	case "bin", "sbin", "shims":
		around := path.Dir(folder)
		if tooWide(around, home) || home != "" && around == home+"/.local" {
			return folder
		}
		return around
	}
	return folder
}

// tooWide: no variable and no folder on PATH opens a whole home.
func tooWide(dir, home string) bool {
	return dir == "/" || home != "" && under(home, dir)
}
