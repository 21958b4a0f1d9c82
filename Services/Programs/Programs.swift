// The target `Programs` has no code. It depends on the programs of a deployment, so `swift build --target Programs` builds all
// of them at once, and no test.
