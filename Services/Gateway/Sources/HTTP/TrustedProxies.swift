internal import HTTPServing
internal import HTTPTypes

/// The proxies whose `Forwarded` or `X-Forwarded-For` header fields are trusted. The same fields from other peers are
/// ignored.
struct TrustedProxies: Sendable {
    /// The header field in which proxies name the client.
    enum Field: String, Sendable, CaseIterable {
        /// The field that RFC 7239 defines.
        case forwarded = "Forwarded"
        case forwardedFor = "X-Forwarded-For"
        /// Either one. If a request has both, the client might have sent one of them, so both are ignored.
        case either
    }

    private let ranges: [AddressRange]
    private let field: Field

    /// Creates a value that trusts the proxies in `ranges`. If `ranges` is empty, the peer of each connection is the
    /// client.
    init(_ ranges: [AddressRange], field: Field = .either) { (self.ranges, self.field) = (ranges, field) }

    /// Whether no proxies are trusted.
    var isEmpty: Bool { ranges.isEmpty }

    /// Returns the client's address: the address nearest to the server that is not a trusted proxy.
    ///
    /// A node that is not an address, such as an obfuscated name, ends the search; the result is then the address of
    /// the proxy that wrote the node.
    ///
    /// - Parameter peer: the address of the connection's peer.
    func client(peer: String, headers: HTTPFields) -> String {
        guard !ranges.isEmpty, let last = IPAddress(peer), isTrusted(last) else { return peer }
        var client = peer
        for hop in hops(headers).reversed() {
            guard let address = Self.address(hop), let parsed = IPAddress(address) else { break }
            client = address
            guard isTrusted(parsed) else { break }
        }
        return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns the nodes that the proxies name. The node that the nearest proxy names comes last. Several fields with
    /// the same name form one list.
    private func hops(_ headers: HTTPFields) -> [Substring] {
        let forwarded = field == .forwardedFor ? nil : Self.value(of: .forwarded, headers)
        let forwardedFor = field == .forwarded ? nil : Self.value(of: .forwardedFor, headers)
        switch (forwarded, forwardedFor) {
        case (let forwarded?, nil):
            return Self.elements(forwarded).map { element in
                let pairs = element.split(separator: ";").map(Self.trimmed)
                let pair = pairs.first { $0.prefix(4).lowercased() == "for=" }
                return pair?.dropFirst(4) ?? ""
            }
        case (nil, let forwardedFor?): return Self.elements(forwardedFor)
        default: return []
        }
    }

    private static func value(of field: Field, _ headers: HTTPFields) -> String? {
        HTTPField.Name(field.rawValue).flatMap { headers[$0] }
    }

    private static func elements(_ list: String) -> [Substring] { list.split(separator: ",").map(trimmed) }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// Returns the address of a node such as `192.0.2.1:4711` or `"[2001:db8::1]:4711"`.
    private static func address(_ node: Substring) -> String? {
        var node = node
        if node.first == "\"", node.last == "\"", node.count >= 2 { node = node.dropFirst().dropLast() }
        if node.first == "[" {
            guard let end = node.firstIndex(of: "]") else { return nil }
            return String(node[node.index(after: node.startIndex)..<end])
        }
        // A single colon precedes a port; several colons belong to an IPv6 address.
        let parts = node.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : String(node)
    }
}
