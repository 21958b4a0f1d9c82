# shellcheck shell=bash
# The release build of what `deploy/run` needs.

# The services, and the command line with its loads.
release_products() { printf '%s\n' "$(service_executables)" zonda zonda-load; }

build_release() {
    local stamp=${repository:?}/.build/deploy-release.stamp
    command -v swift >/dev/null || fail "no swift in the path: see https://www.swift.org/install/linux/"
    build_is_current "$stamp" && return
    # What is changed during the build is newer than the stamp and built the next time.
    mkdir -p "$repository/.build"
    touch "$stamp.new"
    # The target depends on every program and on no module of the tests. In one build, modules of several programs compile side
    # by side, and one program links while another's modules compile.
    say "building $(release_products | paste -sd ' ')"
    swift build --package-path "$repository" --configuration release --target Programs ||
        fail "the programs could not be built"
    mv "$stamp.new" "$stamp"
}

# build_is_current STAMP: whether each executable is there and nothing has changed since the last complete build. A file
# that was removed shows in its folder's time. Asking the build system instead would take seconds for each product.
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
