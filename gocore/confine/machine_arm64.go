package confine

var thisMachine = arm64
