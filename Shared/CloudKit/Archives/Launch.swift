internal import Foundation

/// Makes the module's classes known to every `NSKeyedUnarchiver`. `CCloudKitLaunch` calls this function before `main`.
@_cdecl("zonda_cloudkit_register_classes")
func registerClasses() {
    for (name, type) in ArchivedClasses.all { Foundation.NSKeyedUnarchiver.setClass(type, forClassName: name) }
}
