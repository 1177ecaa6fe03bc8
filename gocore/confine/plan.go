package confine

// MinABI is the oldest Landlock that a level is built on: from Linux 6.12 on it
// keeps signals and abstract sockets in.
const MinABI = 6

// StageWord is the first argument of this executable when it starts itself in
// new namespaces; behind it stands the program. It is also the name of that
// process until then, which has at most 15 bytes.
const StageWord = "confine-stage2"

// Right is what a rule of a Plan allows below its path.
type Right uint8

const (
	// List lets names be listed. Rules hold for all below, so names below a
	// denied folder are listed, too.
	List Right = iota + 1
	// Read lets files be read and run, and names be listed.
	Read
	// Write is Read, and making, changing and removing.
	Write
	// Device is reading, writing and ioctl of a device.
	Device
)

// Rule allows something below a path without links.
type Rule struct {
	Path  string `json:"path"`
	Right Right  `json:"right"`
	// Must: without this rule nothing is started, for the caller asked for it.
	Must bool `json:"must,omitempty"`
}

// Mask covers a denied path that lies in a write root.
type Mask struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir,omitempty"`
}

// Plan is a compiled policy: what the kernel is told, in paths without links.
type Plan struct {
	// Level is LevelNS or LevelLL.
	Level Level  `json:"level"`
	Net   Net    `json:"net"`
	Unix  bool   `json:"unix,omitempty"`
	Rules []Rule `json:"rules"`
	// Write are the write roots, Read the read roots, Denied the denied paths.
	Write  []string `json:"write"`
	Read   []string `json:"read"`
	Denied []string `json:"denied"`
	// Masks lie over denied paths, and Pins are the folders between a mask and
	// its write root, which must not be renamed away. LevelNS only.
	Masks []Mask   `json:"masks,omitempty"`
	Pins  []string `json:"pins,omitempty"`
	// Guards are read-only at LevelNS: what decides what runs later. Watched are
	// they and those that do not exist, which are looked at afterwards.
	Guards  []string `json:"guards,omitempty"`
	Watched []string `json:"watched,omitempty"`
	// FileRights: root works on a tree of somebody else and keeps what it needs
	// for files.
	FileRights bool `json:"fileRights,omitempty"`
	// Cwd is where the program starts.
	Cwd string `json:"cwd"`
	// Env is its environment. It is not part of the plan's JSON: stage 2 has it.
	Env []string `json:"-"`
	// Notes say what was left out, for people.
	Notes []string `json:"notes,omitempty"`
	// Trial is for tests alone.
	Trial *Trial `json:"trial,omitempty"`
}

// Trial makes a start fail, so that tests see what is left then. It can only
// make less run, never more.
type Trial struct {
	// Fail and Kill name a step that fails, or before which stage 2 dies.
	Fail string `json:"fail,omitempty"`
	Kill string `json:"kill,omitempty"`
	// ABI pretends an older Landlock.
	ABI int `json:"abi,omitempty"`
	// NoCapabilities is what AppArmor leaves of a user namespace.
	NoCapabilities bool `json:"noCapabilities,omitempty"`
	// NoNamespaces is a machine on which none can be made.
	NoNamespaces bool `json:"noNamespaces,omitempty"`
}
