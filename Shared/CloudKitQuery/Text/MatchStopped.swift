/// The error thrown when an evaluation is stopped before its result is known.
package struct MatchStopped: Error {}
