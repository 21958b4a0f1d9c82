import CloudKitQuery
import Testing

struct FormatPlaceholderTests {
    @Test(
        arguments: [
            ("f == 1", []),
            ("%K == %@ AND n > %d", [.keyPath, .value, .integer]),
            ("f IN {%@, %s, %S}", [.value, .text, .text]),
            ("%d %D %i %u %U %x %X %o %O %lld %hhu %zd", [FormatPlaceholder](repeating: .integer, count: 12)),
            ("%f %F %e %E %g %G %a %A %lf %Lf", [FormatPlaceholder](repeating: .real, count: 10)),
            ("f == '%@' AND g == \"%d\" AND h == %@", [.value]),
            ("a %% %@", [.value]),
            ("distanceToLocation:fromLocation:(%K, location(%f, %f)) < %d", [.keyPath, .real, .real, .integer]),
            ("", []),
        ] as [(String, [FormatPlaceholder])])
    func placesAreReportedInOrder(format: String, places: [FormatPlaceholder]) {
        #expect(FormatPlaceholder.places(in: format) == places)
    }

    @Test(arguments: ["f == %@ AND g == 'open", "f == %@ AND g == %y", "f == %@ # %@"])
    func whatFollowsAFaultIsNotLookedAt(format: String) {
        #expect(FormatPlaceholder.places(in: format) == [.value])
    }
}
