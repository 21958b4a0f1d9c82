import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

/// Executes a scenario: a zone of a new owner, and the other users of the scenario.
struct SharingStage {
    private static let zone = "Lists"

    private let stack: ServiceStack
    private let transport: SharingUser.Transport
    private let id = UUID().uuidString
    private var users: [SharingRole: SharingUser] = [:]
    private var kept: [String: JSONValue] = ["zone": .string(Self.zone)]

    init(_ transport: SharingUser.Transport, on stack: ServiceStack) async throws {
        (self.transport, self.stack) = (transport, stack)
        try await user(.owner).broker.zones("create", Self.zone)
    }

    /// Executes the steps of a scenario. The first unexpected answer ends it.
    mutating func run(_ scenario: SharingScenario) async throws {
        for (number, step) in scenario.steps.enumerated() {
            let label = "step \(number + 1), \(step.who) \(step.operation.rawValue)"
            let body = try await filled(step.body)
            let answer = try await user(step.who).ask(
                step.operation, in: step.database, body,
                messageID: step.messageID.map { "\(id) \($0)" } ?? TestClient.newMessageID())
            let outcomes = SharingRefusal.outcomes(of: answer.body)
            let text = String(decoding: answer.body.encoded(), as: UTF8.self)
            let isExpected = step.refusals.isEmpty ? outcomes.allSatisfy { $0 == nil } : outcomes == step.refusals
            try #require(isExpected, "\(label): \(text)")
            if let refusal = SharingRefusal(answer.body) {
                try #require(answer.status == Self.statuses[refusal.serverErrorCode], "\(label): \(answer.status)")
            } else {
                try #require(answer.status == 200, "\(label): \(answer.status)")
            }
            for check in step.checks { try await self.check(check, answer.body, text, label) }
            for (name, path) in step.kept {
                kept[name] = try #require(Self.value(at: path, of: answer.body), "\(label): \(path) in \(text)")
            }
        }
    }

    /// The HTTP status of each error of a whole request.
    private static let statuses = [
        "ACCESS_DENIED": 403, "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400, "NOT_FOUND": 404,
        "ZONE_NOT_FOUND": 404,
    ]

    private mutating func check(
        _ check: SharingStep.Check, _ body: JSONValue, _ text: String, _ label: String
    ) async throws {
        switch check {
        case .equals(let path, let value):
            let (found, expected) = (Self.value(at: path, of: body), try await filled(value))
            try #require(found == Self.sorted(expected, at: path), "\(label): \(path) in \(text)")
        case .differs(let path, let value):
            let found = try #require(Self.value(at: path, of: body), "\(label): \(path) in \(text)")
            try #require(try await filled(value) != found, "\(label): \(path) in \(text)")
        case .lacks(let word):
            let word = try await filled(.string(word)).string ?? word
            try #require(!text.lowercased().contains(word.lowercased()), "\(label): \(word) in \(text)")
        }
    }

    /// Returns the value at a path; null if it is missing, and nil if a position of a list is missing.
    private static func value(at path: String, of body: JSONValue) -> JSONValue? {
        var values = [body]
        for part in path.split(separator: "/") {
            values = values.flatMap { value -> [JSONValue] in
                if part == "*" { return value.array ?? [] }
                if let position = Int(part) { return value[position].map { [$0] } ?? [] }
                return [value[String(part)] ?? .null]
            }
        }
        return path.contains("*") ? sorted(.array(values), at: path) : values.first
    }

    private static func sorted(_ value: JSONValue, at path: String) -> JSONValue {
        guard path.contains("*"), let elements = value.array else { return value }
        return .array(elements.sorted { "\($0)" < "\($1)" })
    }

    /// Returns a user of the scenario, who is created if necessary.
    private mutating func user(_ role: SharingRole) async throws -> SharingUser {
        if let user = users[role] { return user }
        let user =
            role == .nobody
            ? try await SharingUser.nobody(transport, on: stack) : try await SharingUser.new(transport, on: stack)
        users[role] = user
        return user
    }

    /// Replaces the strings that begin with `@`.
    private mutating func filled(_ value: JSONValue) async throws -> JSONValue {
        switch value {
        case .string(let text) where text.hasPrefix("@"): return try await known(String(text.dropFirst()))
        case .array(let elements):
            var filled: [JSONValue] = []
            for element in elements { filled.append(try await self.filled(element)) }
            return .array(filled)
        case .object(let members):
            var filled: [JSONValue.Member] = []
            for member in members { filled.append(.init(member.key, try await self.filled(member.value))) }
            return .object(filled)
        default: return value
        }
    }

    private mutating func known(_ word: String) async throws -> JSONValue {
        if let value = kept[word] { return value }
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2, let key = ["tag": "recordChangeTag", "link": "shortGUID"][parts[0]] {
            let record = try await user(.owner).broker.record(Self.zone, parts[1])
            return try #require(record[key], "@\(word): \(record)")
        }
        let names = word.split(separator: ".").map(String.init)
        let role = try #require(SharingRole(rawValue: names[0]), "@\(word) is unknown")
        let user = try await user(role)
        return .string(names.count > 1 ? user.email : user.name)
    }
}
