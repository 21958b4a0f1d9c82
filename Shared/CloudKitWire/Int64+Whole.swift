extension Int64 {
    /// The integer that equals `number`; nil if it has a fraction or does not fit. (`Int64(exactly:)` would need the C
    /// library's mathematics linked.)
    init?(equalTo number: Double) {
        guard number >= -0x1p63, number < 0x1p63, Double(Int64(number)) == number else { return nil }
        self.init(number)
    }
}
