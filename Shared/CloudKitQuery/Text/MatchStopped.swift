/// The evaluation was stopped before it was known whether a record matches.
package struct MatchStopped: Error {}
