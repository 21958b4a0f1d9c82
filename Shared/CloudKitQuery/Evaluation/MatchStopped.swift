/// The time for it was over before it was known whether a record matches.
package struct MatchStopped: Error {}
