package confine

var thisMachine = amd64
