# Debian's package list as records, with nothing but perl-base.
#
#   debian-packages.pl convert LIMIT        <available >operations   one web-services operation a line
#   debian-packages.pl compare LIMIT WALKED <available               WALKED is what `zonda record changes --json` printed
#
# All text is handled as UTF-8 bytes. A package that is listed more than once keeps its first entry, which is apt's
# candidate version.
use strict;
use warnings;

my %fields = (
    Package    => 'name',
    Version    => 'version',
    Section    => 'section',
    Priority   => 'priority',
    Maintainer => 'maintainer',
    Homepage   => 'homepage',
);

my ($mode, $limit, $walked) = @ARGV;
if    ($mode eq 'convert') { convert() }
elsif ($mode eq 'compare') { compare($walked) }
else                       { die "debian-packages.pl: convert or compare\n" }

sub convert {
    my ($packages, $dropped) = packages();
    for my $package (@$packages) {
        my %field = %$package;
        my @json;
        for my $name (sort keys %field) {
            my ($type, $value) = @{ $field{$name} };
            my $text =
                $type eq 'INT64'       ? $value
              : $type eq 'STRING_LIST' ? '[' . join(',', map { quoted($_) } @$value) . ']'
              :                          quoted($value);
            push @json, quoted($name) . qq(:{"value":$text,"type":"$type"});
        }
        printf qq({"operationType":"forceReplace","record":{"recordName":%s,"recordType":"Package","fields":{%s}}}\n),
            quoted($field{name}[1]), join(',', @json);
    }
    printf STDERR "%d packages, %d repeated entries dropped\n", scalar @$packages, $dropped;
}

sub compare {
    my ($path) = @_;
    my ($packages) = packages();
    my %expected = map { $_->{name}[1] => $_ } @$packages;
    my ($records, $compared, $differences) = (0, 0, 0);
    my $differ = sub {
        print STDERR "difference: $_[0]\n" if $differences++ < 20;
    };
    open my $lines, '<', $path or die "$path: $!\n";
    while (my $line = <$lines>) {
        my $record = parsed($line);
        next unless exists $record->{recordName};
        $records++;
        my $name    = $record->{recordName};
        my $package = delete $expected{$name};
        if (!$package) { $differ->("$name is unknown or came twice"); next }
        $differ->("$name is not of type Package") unless ($record->{recordType} // '') eq 'Package';
        my $got = $record->{fields} // {};
        for my $key (sort keys %$package) {
            $compared++;
            my ($type, $value) = @{ $package->{$key} };
            my $field = delete $got->{$key};
            if (!$field) { $differ->("$name has no $key"); next }
            $differ->("$name: $key has type $field->{type}, not $type") unless $field->{type} eq $type;
            $differ->("$name: $key differs") unless flat($field->{value}) eq flat($value);
        }
        $differ->("$name has a field too many: $_") for sort keys %$got;
    }
    $differ->("$_ is missing") for sort keys %expected;
    printf "records %d of %d  fields %d  differences %d\n", $records, scalar @$packages, $compared, $differences;
    exit($differences ? 1 : 0);
}

# One text for a value or list of values; no text of a package list has these control characters.
sub flat { ref $_[0] ? join("\x01", 'list', @{ $_[0] }) : "one\x01$_[0]" }

# The packages of standard input, each as field => [type, value], and how many repeated entries were dropped.
sub packages {
    my (@packages, %seen);
    my $dropped = 0;
    local $/ = '';
    while (my $paragraph = <STDIN>) {
        my %source = $paragraph =~ /^([A-Za-z0-9-]+):[ \t]*(.*(?:\n[ \t].*)*)/mg;
        my $name = $source{Package} // next;
        if ($seen{$name}++) { $dropped++; next }
        last if $limit && @packages == $limit;
        my %field;
        for my $key (keys %fields) {
            my $value = text($source{$key});
            $field{ $fields{$key} } = ['STRING', $value] if length $value;
        }
        my $description = text($source{Description} // $source{'Description-en'});
        # Debian writes the lines of a long description with a space in front, and a dot for an empty one.
        $description =~ s/\n[ \t]\.?(?=\n|\z)/\n/g;
        $description =~ s/\n[ \t]/\n/g;
        $field{description}   = ['STRING', $description] if length $description;
        $field{installedSize} = ['INT64', $1 + 0] if ($source{'Installed-Size'} // '') =~ /^(\d{1,15})\s*$/;
        my @dependencies = grep { length } map { s/^\s+|\s+$//gr } split /,/, text($source{Depends});
        $field{dependencies} = ['STRING_LIST', \@dependencies] if @dependencies;
        push @packages, \%field;
    }
    return (\@packages, $dropped);
}

# Trimmed UTF-8; a text that is none was written in Latin-1.
sub text {
    my ($bytes) = @_;
    return '' unless defined $bytes;
    $bytes =~ s/^\s+|\s+$//g;
    my $copy = $bytes;
    utf8::encode($bytes) unless utf8::decode($copy);
    return $bytes;
}

sub quoted {
    my ($text) = @_;
    $text =~ s/(["\\])/\\$1/g;
    $text =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
    return qq("$text");
}

# A JSON text as hashes, arrays and bytes; numbers and words stay as they are written.
sub parsed {
    my ($json) = @_;
    my $value = value(\$json);
    return $value;
}

sub value {
    my ($json) = @_;
    $$json =~ /\G\s+/gc;
    if ($$json =~ /\G\{\s*/gc) {
        my %object;
        until ($$json =~ /\G\s*\}/gc) {
            my $key = value($json);
            $$json =~ /\G\s*:/gc or die "':' is missing in: $$json\n";
            $object{$key} = value($json);
            $$json =~ /\G\s*,\s*/gc;
        }
        return \%object;
    }
    if ($$json =~ /\G\[\s*/gc) {
        my @array;
        until ($$json =~ /\G\s*\]/gc) {
            push @array, value($json);
            $$json =~ /\G\s*,\s*/gc;
        }
        return \@array;
    }
    if ($$json =~ /\G"((?:[^"\\]++|\\.)*+)"/gcs) {
        my $text = $1;
        $text =~ s/((?:\\u[0-9a-fA-F]{4})+)|\\(.)/defined $1 ? characters($1) : escape($2)/gse if $text =~ /\\/;
        return $text;
    }
    return $1 if $$json =~ /\G([-+.0-9eEa-z]+)/gc;
    die "not JSON: $$json\n";
}

sub escape {
    my ($letter) = @_;
    return { n => "\n", r => "\r", t => "\t", b => "\b", f => "\f" }->{$letter} // $letter;
}

# `\uXXXX` escapes, surrogate pairs joined, as UTF-8.
sub characters {
    my @units = map { hex } $_[0] =~ /\\u(.{4})/g;
    my $text = '';
    while (@units) {
        my $code = shift @units;
        $code = 0x10000 + (($code - 0xD800) << 10) + (shift(@units) - 0xDC00)
            if $code >= 0xD800 && $code < 0xDC00 && @units;
        $text .= chr $code;
    }
    utf8::encode($text);
    return $text;
}
