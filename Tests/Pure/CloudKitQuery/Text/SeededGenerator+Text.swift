import TestGenerators

extension SeededGenerator {
    /// Returns at most `limit` random scalars of `alphabet`.
    mutating func text(of alphabet: String, atMost limit: Int) -> String {
        let scalars = Array(alphabet.unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...limit, using: &self) {
            text.append(scalars[Int.random(in: scalars.indices, using: &self)])
        }
        return String(text)
    }
}
