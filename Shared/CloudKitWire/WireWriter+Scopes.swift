extension WireWriter {
    /// Writes an object whose members `body` adds.
    package mutating func object(_ body: (inout WireWriter) throws -> Void) rethrows {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array to which `each` adds one value for every element.
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ each: (inout WireWriter, Elements.Element) throws -> Void
    ) rethrows {
        beginArray()
        for element in elements { try each(&self, element) }
        endArray()
    }
}
