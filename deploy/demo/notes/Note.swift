import CloudKit
import Foundation

/// A note with its attachments.
struct Note: Codable {
    /// What the server had when the note was last fetched or saved.
    struct Base: Codable {
        var text: String
        var files: [String: String]
        /// The record's system fields, which tell the server what the next save is based on.
        var systemFields: Data
    }

    var text = ""
    /// The names of the attachments, and the files in the folder of attachments that have their content.
    var files: [String: String] = [:]
    /// Nil if the server does not have the note.
    var base: Base?
    /// Whether the note is to be deleted on the server.
    var isDeleted = false

    /// Whether the note must be sent.
    var isChanged: Bool { isDeleted || base.map { $0.text != text || $0.files != files } ?? true }

    /// Merges what the server has into the note: lines and attachments that were added here are kept.
    ///
    /// - Parameter machine: the name for an attachment that was replaced on both sides.
    mutating func merge(text theirs: String, files theirFiles: [String: String], machine: String) {
        let base = base.map { ($0.text, $0.files) } ?? ("", [:])
        text = Self.merged(text, theirs, base: base.0)
        var merged = theirFiles
        for (name, file) in files where base.1[name] != file && theirFiles[name] != file {
            let isReplacedTwice = theirFiles[name] != nil && theirFiles[name] != base.1[name]
            merged[isReplacedTwice ? "\(name) (\(machine))" : name] = file
        }
        for name in base.1.keys where files[name] == nil && theirFiles[name] == base.1[name] { merged[name] = nil }
        files = merged
    }

    private static func merged(_ ours: String, _ theirs: String, base: String) -> String {
        if ours == base { return theirs }
        if theirs == base || theirs == ours { return ours }
        func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
        let known = Set(lines(base) + lines(theirs))
        return (lines(theirs) + lines(ours).filter { !known.contains($0) }).joined(separator: "\n")
    }
}
