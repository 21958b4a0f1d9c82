# What deploy/demo/documents makes of files, assets and records.
use strict;
use warnings;
use JSON::PP;
use Digest::SHA qw(sha256_hex);

my $json = JSON::PP->new->utf8->canonical;
my ($verb, @arguments) = @ARGV;

# The record's name: one for each path.
sub name_of { return "doc-" . substr(sha256_hex($_[0]), 0, 32) }

sub kind_of { return $_[0] =~ m{^/usr/share/doc/} ? "licence" : "icon" }

# /usr/share/doc/PACKAGE/copyright, /usr/share/icons/THEME/…
sub collection_of { return (split m{/}, $_[0])[4] // "" }

# What `zonda record changes --json` printed; its last line is the token.
sub records { return grep { defined $_->{recordName} } map { $json->decode($_) } lines(\*STDIN) }

sub lines { my ($handle) = @_; my @lines = <$handle>; chomp @lines; return @lines }

# PATH <tab> ASSET on standard input: operations for `zonda import`.
sub operations {
    for (lines(\*STDIN)) {
        my ($path, $asset) = split /\t/, $_, 2;
        print $json->encode(
            {
                operationType => "forceReplace",
                record        => {
                    recordName => name_of($path),
                    recordType => "Document",
                    fields     => {
                        path       => { value => $path },
                        kind       => { value => kind_of($path) },
                        collection => { value => collection_of($path) },
                        file       => { value => $json->decode($asset), type => "ASSETID" },
                    },
                },
            }
        ), "\n";
    }
}

# Records on standard input, notifications in a file: has each record been heard of, its last state as what it is?
sub heard {
    my ($file) = @_;
    open my $handle, "<", $file or die "$file: $!";
    my (%last, $notifications);
    for (lines($handle)) {
        my $message = $json->decode($_);
        $notifications++ if !$message->{caughtUp};
        $last{ $_->{recordName} } = $_->{change} // "caughtUp" for @{ $message->{records} // [] };
    }
    my ($records, $missing) = (0, 0);
    for my $record (records()) {
        $records++;
        my $change = $last{ $record->{recordName} } // "";
        $missing++ if $change eq "" || ($change eq "deleted") != ($record->{deleted} ? 1 : 0);
    }
    printf "notifications %d  records heard of %d of %d\n", $notifications // 0, $records - $missing, $records;
    exit($missing == 0 ? 0 : 1);
}

# Records on standard input, PATH <tab> ASSET in a file: are they what was sent, and what did deduplication save?
sub summary {
    my ($file) = @_;
    open my $handle, "<", $file or die "$file: $!";
    my %sent;
    for (lines($handle)) {
        my ($path, $asset) = split /\t/, $_, 2;
        $sent{ name_of($path) } = [ $path, $json->decode($asset) ];
    }
    my ($records, $bytes, $differences, %blobs) = (0, 0, 0);
    for my $record (records()) {
        next if $record->{deleted};
        $records++;
        my $asset = $record->{fields}{file}{value};
        my $sent  = delete $sent{ $record->{recordName} };
        if (  !$sent
            || $sent->[1]{fileChecksum} ne $asset->{fileChecksum}
            || -s $sent->[0] != $asset->{size}
            || !$asset->{downloadURL}
            || exists $asset->{receipt})
        {
            print "differs: $record->{recordName}\n";
            $differences++;
        }
        $bytes += $asset->{size};
        $blobs{ $asset->{fileChecksum} } = $asset->{size};
    }
    my $kept = 0;
    $kept += $_ for values %blobs;
    printf "records %d  assets %d  distinct blobs %d  bytes %d  stored %d  saved by deduplication %d (%.1f %%)\n",
        $records, $records, scalar(keys %blobs), $bytes, $kept, $bytes - $kept,
        $bytes ? 100 * ($bytes - $kept) / $bytes : 0;
    printf "differences %d  missing %d\n", $differences, scalar(keys %sent);
    exit($differences || %sent ? 1 : 0);
}

# PATH <tab> ASSET on standard input: PATH <tab> NAME of about N of them, evenly spread.
sub sample {
    my ($wanted) = @_;
    my @lines = lines(\*STDIN);
    my $step = @lines > $wanted ? @lines / $wanted : 1;
    for (my $place = 0; $place < @lines; $place += $step) {
        my ($path) = split /\t/, $lines[$place], 2;
        print "$path\t", name_of($path), "\n";
    }
}

my %verbs = (operations => \&operations, heard => \&heard, summary => \&summary, sample => \&sample);
($verbs{ $verb // "" } // sub { die "usage: documents.pl operations|heard|summary|sample\n" })->(@arguments);
