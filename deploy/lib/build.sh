# shellcheck shell=bash
# The release build of the programs that `deploy/run` needs.

# Prints the programs: the services, the command line and the load generator.
release_products() { printf '%s\n' "$(service_executables)" zonda zonda-load; }

build_release() {
    local stamp=${repository:?}/.build/deploy-release.stamp
    command -v swift >/dev/null || fail "swift is not in the path: see https://www.swift.org/install/linux/"
    build_is_current "$stamp" && return
    # The stamp is created before the build, so that a file that changes during the build is newer and is built next
    # time.
    mkdir -p "$repository/.build"
    touch "$stamp.new"
    # This target depends on every program and on no module of the tests. A single build compiles modules of several
    # programs concurrently, and links one program while it compiles the modules of another.
    say "building $(release_products | paste -sd ' ')"
    swift build --package-path "$repository" --configuration release --target Programs ||
        fail "the programs could not be built"
    mv "$stamp.new" "$stamp"
}

# build_is_current STAMP: whether every executable exists and no source file has changed since the last complete build.
# The removal of a file changes the time of its folder. The build system would need seconds for each product to find
# this out.
build_is_current() {
    local product
    [[ -e $1 ]] || return 1
    for product in $(release_products); do
        [[ -x $repository/.build/release/$product ]] || return 1
    done
    [[ -z $(
        find "$repository"/{Package.swift,Shared,Services,Tests/Load,Tests/Generators,deploy/docs/openapi.yaml} \
            -newer "$1" -print -quit
    ) ]]
}
