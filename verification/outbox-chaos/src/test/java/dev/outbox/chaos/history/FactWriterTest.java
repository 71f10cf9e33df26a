package dev.outbox.chaos.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Operated;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Phase;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.Fact.Scheduled;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import dev.outbox.chaos.history.Fact.Withdrawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FactWriterTest {

    private static final UUID EVENT = new UUID(1, 2);

    @TempDir
    private Path directory;

    @Test
    void everyFactIsReadAsItWasWritten() {
        List<Fact> facts = List.of(
                new Subscribed(0, "w-1", "mail", Set.of("Traded"), Set.of("post"), true),
                new Intended(
                        1,
                        "p-1",
                        "t-1",
                        List.of(new IntendedEvent(
                                EVENT, "Traded", "account", "ä\n\u0001", "{\"a\":\"\\u0000\"}", Map.of("k", "v")))),
                new Published(2, "p-1", "t-1", EVENT, 7),
                new Scheduled(
                        2,
                        "p-1",
                        "t-1",
                        new IntendedEvent(EVENT, "Traded", "account", "ä", "{}", Map.of(), true),
                        1_700_000_000_000_000L),
                new Withdrawn(2, "p-1", "t-1", EVENT, null),
                new Withdrawn(2, "p-1", "t-1", EVENT, new UUID(3, 4)),
                new Completed(3, "p-1", "t-1", Commit.COMMITTED),
                new Started(4, "w-1", "mail", EVENT, "account", "ä", 7, 1, "{}", Map.of(), false),
                new Ended(5, "w-1", "mail", EVENT, 1, Outcome.INTERRUPTED),
                new Fault(6, Kind.RESTORE, "server", Phase.BEGUN, 3L, "an old backup"),
                Fault.ended(7, Kind.SUSPEND, "w-1", ""),
                new Operated(8, "ann", Operation.RETRY, EVENT, "mail"));

        try (FactWriter writer = FactWriter.open(directory, "p-1")) {
            facts.forEach(writer::write);
        }

        assertThat(FactReader.files(directory)).hasSize(1);
        assertThat(FactReader.read(FactReader.files(directory).get(0))).isEqualTo(facts);
    }

    @Test
    void interruptedThreadWrites() {
        try (FactWriter writer = FactWriter.open(directory, "w-1")) {
            Thread.currentThread().interrupt();
            writer.write(Fault.begun(1, Kind.KILL, "w-2", ""));
            assertThat(Thread.interrupted()).isTrue();
            writer.write(Fault.begun(2, Kind.KILL, "w-2", ""));
        }
        assertThat(FactReader.read(directory.resolve("w-1.facts"))).hasSize(2);
    }

    @Test
    void tornLastLineIsLeftOut() throws IOException {
        Path file = directory.resolve("w-1.facts");
        try (FactWriter writer = FactWriter.open(directory, "w-1")) {
            writer.write(Fault.begun(1, Kind.KILL, "w-2", ""));
        }
        byte[] line = Files.readAllBytes(file);
        for (int length = 1; length < line.length; length++) {
            byte[] torn = new byte[line.length + length];
            System.arraycopy(line, 0, torn, 0, line.length);
            System.arraycopy(line, 0, torn, line.length, length);
            Files.write(file, torn);
            assertThat(FactReader.read(file)).hasSize(1);
        }
    }

    @Test
    void badLineIsAnError() throws IOException {
        Path file = directory.resolve("w-1.facts");
        try (FactWriter writer = FactWriter.open(directory, "w-1")) {
            writer.write(Fault.begun(1, Kind.KILL, "w-2", ""));
        }
        Files.writeString(file, "{\"fact\":\n", StandardOpenOption.APPEND);

        assertThatThrownBy(() -> FactReader.read(file)).hasMessageContaining("Line 2");
    }

    @Test
    void nameBelongsToOneLifeOfAProcess() {
        FactWriter.open(directory, "w-1").close();

        assertThatThrownBy(() -> FactWriter.open(directory, "w-1")).hasMessageContaining("w-1");
    }
}
