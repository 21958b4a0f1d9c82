internal import CloudKitModel

/// The operations of `records/modify`, each of which is decoded independently.
extension JSONScanner {
    /// Scans an operation. An error in its content becomes the operation's `error`; a syntax error is thrown.
    mutating func operation(expectedFields: Int) throws(WireFault) -> WireOperation {
        let start = (position, depth)
        var operation: WireOperation
        do {
            operation = try readOperation(expectedFields: expectedFields)
            operation.error = operation.shortcoming()
        } catch {
            guard case .content(let error) = error else { throw error }
            (position, depth) = start
            operation = try operationAtFault()
            operation.error = error
        }
        if operation.error != nil { operation.error?.recordName = operation.record.recordName }
        return operation
    }

    private mutating func readOperation(expectedFields: Int) throws(WireFault) -> WireOperation {
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("operations", "an array of dictionaries") }
        var operation = WireOperation(nil, WireRecord())
        var hasRecord = false
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "operationType") {
                try kind(of: &operation)
            } else if matches(key, "record") {
                hasRecord = try record(of: &operation, expectedFields: expectedFields)
            } else if matches(key, "desiredKeys") {
                operation.desiredKeys = try optionalStrings("desiredKeys") ?? operation.desiredKeys
            } else if matches(key, "numbersAsStrings") || matches(key, "numberAsStrings") {
                operation.numbersAsStrings = try optionalBool("numbersAsStrings")
            } else {
                try skipValue()
            }
        }
        guard hasRecord else { throw .content(.missingKey("record")) }
        return operation
    }

    private mutating func kind(of operation: inout WireOperation) throws(WireFault) {
        guard peek() == UInt8(ascii: "\"") else {
            if try skipNull() { return }
            throw wrongKind("operationType", "a string")
        }
        let token = try stringToken()
        switch token.count {
        case 6 where matches(token, "create"): operation.kind = .create
        case 6 where matches(token, "update"): operation.kind = .update
        case 6 where matches(token, "delete"): operation.kind = .delete
        case 7 where matches(token, "replace"): operation.kind = .replace
        case 11 where matches(token, "forceUpdate"): operation.kind = .forceUpdate
        case 11 where matches(token, "forceDelete"): operation.kind = .forceDelete
        case 12 where matches(token, "forceReplace"): operation.kind = .forceReplace
        default:
            let word = try text(token)
            operation.kind = RecordOperation.Kind(rawValue: word)
            if operation.kind == nil { operation.unknownKind = word }
        }
    }

    /// Scans the record dictionary of an operation; returns false for null.
    private mutating func record(
        of operation: inout WireOperation, expectedFields: Int
    ) throws(WireFault) -> Bool {
        if try skipNull() { return false }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("record", "a record dictionary") }
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordName") {
                operation.record.recordName = try optionalString("recordName").map(RecordName.init(unchecked:))
            } else if matches(key, "recordType") {
                operation.record.recordType = try recordType()
            } else if matches(key, "recordChangeTag") {
                operation.record.recordChangeTag = try optionalString("recordChangeTag")
            } else if matches(key, "fields") {
                if try !skipNull() {
                    operation.record.fields = try fields(expected: expectedFields, checksNames: true)
                }
            } else if matches(key, "parent") {
                operation.record.parent = try parent()
            } else if matches(key, "createShortGUID") {
                operation.record.createShortGUID = try optionalBool("createShortGUID") ?? false
            } else if matches(key, "desiredKeys") {
                let keys = try optionalStrings("desiredKeys")
                operation.desiredKeys = operation.desiredKeys ?? keys
            } else if try !shareKey(key, of: &operation.record) {
                try skipValue()
            }
        }
        return true
    }

    /// Scans a record type. Apple's page on `records/modify` spells the type of shares `cloudKit.share`.
    private mutating func recordType() throws(WireFault) -> String? {
        let name = try optionalString("recordType")
        return name == "cloudKit.share" ? RecordTypeName.share.rawValue : name
    }

    /// Scans the value of a `parent` key. `{}` is equivalent to null.
    mutating func parent() throws(WireFault) -> WireRecord.ParentChange {
        if try skipNull() { return .clear }
        guard peek() == UInt8(ascii: "{") else { throw wrongKind("parent", "a reference dictionary") }
        var name: String?
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordName") { name = try optionalString("parent") } else { try skipValue() }
        }
        return name.map { .set(RecordName(unchecked: $0)) } ?? .clear
    }

    /// Skips an operation with invalid content, but reads its kind and the record's name, so that the client can tell
    /// which record the error concerns.
    private mutating func operationAtFault() throws(WireFault) -> WireOperation {
        var operation = WireOperation(nil, WireRecord())
        guard peek() == UInt8(ascii: "{") else {
            try skipValue()
            return operation
        }
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            let start = position
            try skipValue()
            let end = position
            position = start
            if matches(key, "operationType") {
                try? kind(of: &operation)
            } else if matches(key, "record"), peek() == UInt8(ascii: "{") {
                operation.record.recordName = nameOfRecord().map(RecordName.init(unchecked:))
            }
            position = end
        }
        return operation
    }

    /// Returns the name in the record dictionary at the cursor; nil if the name cannot be read. The dictionary's syntax
    /// must have been checked.
    private mutating func nameOfRecord() -> String? {
        let start = (position, depth)
        defer { (position, depth) = start }
        var name: String?
        do {
            try open(UInt8(ascii: "{"))
            var isFirst = true
            while let key = try nextKey(isFirst: &isFirst) {
                if matches(key, "recordName") { name = try optionalString("recordName") } else { try skipValue() }
            }
        } catch {}
        return name
    }
}
