import SignedTokens
import Testing

struct HexadecimalTests {
    @Test func digitsOfBothCasesAreBytes() {
        #expect(Hexadecimal.decode("00fFA7") == [0, 255, 167])
        #expect(Hexadecimal.encode([0, 255, 167]) == "00ffa7")
    }

    @Test(arguments: ["0", "+f", "-1", "0x", " 1", "g0", "1١"]) func anythingElseIsInvalid(_ text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
