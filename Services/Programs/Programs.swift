// The target `Programs` contains no code. It depends on a deployment's programs, so that
// `swift build --target Programs` builds all of them, but no tests.
