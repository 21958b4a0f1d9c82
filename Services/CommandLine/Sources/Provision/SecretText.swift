/// Makes secrets.
enum SecretText {
    /// So many random bytes, in hexadecimal digits: 128 bits are nothing to guess.
    static func random(bytes count: Int = 16) -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<count * 2).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
    }
}
