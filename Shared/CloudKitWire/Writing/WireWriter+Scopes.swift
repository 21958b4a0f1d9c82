extension WireWriter {
    /// Writes an object with the members that `body` writes.
    package mutating func object(_ body: (inout WireWriter) throws -> Void) rethrows {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array. `each` must write one value for the element that it receives.
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ each: (inout WireWriter, Elements.Element) throws -> Void
    ) rethrows {
        beginArray()
        for element in elements { try each(&self, element) }
        endArray()
    }
}
