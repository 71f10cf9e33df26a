package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of the latest commits: an imperative subject, a blank line, and a body that says why. */
class CommitMessagesTest {

    /** Older commits have no body. */
    private static final String SINCE = "2026-11-22T13:00:00Z";

    private static final Pattern RULE = Pattern.compile("(?s)[A-Z][^\\n]{0,70}[^\\n.]\\n\\n\\S.*");

    /** First words of subjects that describe a system or a past, instead of commanding a change. */
    private static final Pattern NO_COMMAND = Pattern.compile(
            "(?s)(A|An|The|What|Adds|Added|Adding|Changes|Changed|Changing|Claims|Fixes|Fixed|Fixing"
                    + "|Improves|Improved|Introduces|Introduced|Makes|Made|Moves|Moved|Moving|Removes|Removed|Removing"
                    + "|Renames|Renamed|Renaming|Replaces|Replaced|Tests|Tested|Updates|Updated|Updating|Uses|Used) .*");

    @Test
    void latestCommitsFollowTheRule() throws Exception {
        assertThat(latestMessages())
                .allSatisfy((message) -> assertThat(isGood(message))
                        .as("see .gitmessage: %s", message)
                        .isTrue());
    }

    @Test
    void subjectWithReasonIsGood() {
        assertThat(isGood("Fence settlements with a random token\n\nSequences may repeat after a crash.\n"))
                .isTrue();
        assertThat(isGood("A" + "b".repeat(71) + "\n\nWhy.")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fence settlements with a random token",
                "Fence settlements with a random token\n\n",
                "Fence settlements with a random token.\n\nWhy.",
                "Fence settlements with a random token\nWhy.",
                "fence settlements with a random token\n\nWhy.",
                "Fences that settlements, retries, renewals and releases share use random tokens\n\nWhy.",
                "Added a fence\n\nWhy.",
                "A fence protects settlements\n\nWhy."
            })
    void messageThatBreaksTheRuleIsFound(String message) {
        assertThat(isGood(message)).isFalse();
    }

    private static boolean isGood(String message) {
        return RULE.matcher(message).matches() && !NO_COMMAND.matcher(message).matches();
    }

    /** Reads the last 20 commits; a source archive has none, and a shallow clone has fewer. */
    private static List<String> latestMessages() throws IOException, InterruptedException {
        assumeTrue(Files.exists(SourceTree.ROOT.resolve(".git")), "no repository");
        Process git = new ProcessBuilder("git", "log", "-20", "--no-merges", "--since=" + SINCE, "-z", "--format=%B")
                .directory(SourceTree.ROOT.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String messages = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(git.waitFor() == 0, "git cannot read the repository");
        return Stream.of(messages.split("\0"))
                .filter((message) -> !message.isBlank())
                .toList();
    }
}
