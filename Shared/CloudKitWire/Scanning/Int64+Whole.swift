extension Int64 {
    /// Creates the integer that equals `number`; nil if it has a fractional part or is out of range. (Using
    /// `Int64(exactly:)` would require the C math library to be linked.)
    init?(equalTo number: Double) {
        guard number >= -0x1p63, number < 0x1p63, Double(Int64(number)) == number else { return nil }
        self.init(number)
    }
}
