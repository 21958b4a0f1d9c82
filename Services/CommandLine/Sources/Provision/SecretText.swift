/// Generates secrets.
enum SecretText {
    /// Returns random bytes as hexadecimal digits. A secret of the default length, 128 bits, cannot be guessed.
    static func random(bytes count: Int = 16) -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<count * 2).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
    }
}
