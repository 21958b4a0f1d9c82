/// Registers the classes of the module `CloudKit` with `NSKeyedUnarchiver`. The module defines it in Swift, and this
/// module calls it before `main`, so that archives with these classes can be read before any other code of the module
/// has run.
void zonda_cloudkit_register_classes(void);
