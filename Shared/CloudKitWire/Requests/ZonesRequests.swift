package import CloudKitModel

/// The body of `zones/modify`.
package struct ModifyZonesRequest: Hashable, Sendable {
    /// The effect of an operation on its zone.
    package enum Kind: Hashable, Sendable {
        case create
        case delete
        /// An unknown `operationType`.
        case other(String)
    }

    /// One operation.
    package struct Operation: Hashable, Sendable {
        /// The kind of operation.
        package var kind: Kind
        /// The zone to operate on.
        package var zoneID: ZoneID
        /// The reason why the operation cannot be executed (an unknown kind or an invalid zone name); nil if the
        /// operation is valid.
        package var error: ServerError?

        /// Creates an operation.
        package init(_ kind: Kind, _ zoneID: ZoneID) {
            self.kind = kind
            self.zoneID = zoneID
            switch kind {
            case .other(let word):
                error = ServerError(.unknownOperation, "Unknown operationType '\(word)'", field: "operationType")
                    .about(zoneID: zoneID)
            case .create:
                do {
                    _ = try ZoneName(validating: zoneID.zoneName.rawValue)
                } catch {
                    self.error = ServerError(error, field: "zoneName").about(zoneID: zoneID)
                }
            case .delete: break
            }
        }
    }

    /// The operations, in order. An invalid operation contains its error.
    package var operations: [Operation]

    /// Creates a request to send.
    package init(operations: [Operation]) { self.operations = operations }

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is invalid or has too many elements.
    package init(decoding body: [UInt8], limits: Limits = Limits()) throws(ServerError) {
        operations = try JSONScanner.scan(body) { scanner throws(WireFault) in
            try scanner.list(of: "operations", limit: limits.maxZonesPerRequest) { scanner throws(WireFault) in
                try scanner.zoneOperation()
            }
        }
    }
}

/// The body of `zones/lookup`. The array contains bare zone IDs.
package struct LookupZonesRequest: Hashable, Sendable {
    /// The zones, in the order of the reply.
    package var zones: [ZoneID]

    /// Creates a request to send.
    package init(zones: [ZoneID]) { self.zones = zones }

    /// Decodes a body.
    /// - Throws: `BAD_REQUEST` if the body is invalid or has too many elements.
    package init(decoding body: [UInt8], limits: Limits = Limits()) throws(ServerError) {
        zones = try JSONScanner.scan(body) { scanner throws(WireFault) in
            try scanner.list(of: "zones", limit: limits.maxZonesPerRequest) { scanner throws(WireFault) in
                guard let zone = try scanner.optionalZoneID("zones") else { throw .content(.missingKey("zoneName")) }
                return zone
            }
        }
    }
}

extension JSONScanner {
    /// Scans an object in which only the required key `name` is relevant, and returns the elements of the key's array.
    fileprivate mutating func list<Element>(
        of name: StaticString, limit: Int, _ element: (inout JSONScanner) throws(WireFault) -> Element
    ) throws(WireFault) -> [Element] {
        var elements: [Element]?
        var count = 0
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            guard matches(key, name) else {
                try skipValue()
                continue
            }
            var read: [Element] = []
            try self.elements(name) { scanner throws(WireFault) in
                count += 1
                guard count <= limit else { return try scanner.skipValue() }
                read.append(try element(&scanner))
            }
            elements = read
        }
        guard count <= limit else {
            throw .content(.tooMany(name.description, limit: limit, actual: count))
        }
        guard let elements else { throw .content(.missingKey(name.description)) }
        return elements
    }

    fileprivate mutating func zoneOperation() throws(WireFault) -> ModifyZonesRequest.Operation {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("operations", "an array of dictionaries") }
        var kind: ModifyZonesRequest.Kind?
        var zoneID: ZoneID?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "operationType") {
                switch try optionalString("operationType") {
                case nil: kind = nil
                case "create": kind = .create
                case "delete": kind = .delete
                case .some(let word): kind = .other(word)
                }
            } else if matches(key, "zone") {
                zoneID = try zone()
            } else {
                try skipValue()
            }
        }
        guard let kind else { throw .content(.missingKey("operationType")) }
        guard let zoneID else { throw .content(.missingKey("zone")) }
        return ModifyZonesRequest.Operation(kind, zoneID)
    }

    /// Scans the zone ID of a zone dictionary.
    private mutating func zone() throws(WireFault) -> ZoneID? {
        if try skipNull() { return nil }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("zone", "a zone dictionary") }
        var zoneID: ZoneID?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "zoneID") { zoneID = try optionalZoneID("zoneID") } else { try skipValue() }
        }
        return zoneID
    }
}
