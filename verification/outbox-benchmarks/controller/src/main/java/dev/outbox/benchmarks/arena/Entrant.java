package dev.outbox.benchmarks.arena;

import java.util.List;
import java.util.Optional;

/** Contestant with one variant of its settings: {@code tuned}, {@code defaults}, or {@code floor} if it has no choice. */
public record Entrant(Contestant contestant, String variant) {

    /** Best settings according to the contestant's documentation or a short trial. */
    public static final String TUNED = "tuned";

    /** Settings of an unconfigured contestant. */
    public static final String DEFAULTS = "defaults";

    /** The only variant of a floor. */
    public static final String FLOOR = "floor";

    /**
     * Library or floor to measure.
     *
     * @param name the short name
     * @param module the directory of its module
     * @param type the class that implements it, below {@code dev.outbox.benchmarks}
     * @param library the artifact whose version the report prints
     * @param kind the workloads that it takes part in
     */
    public record Contestant(String name, String module, String type, String library, Kind kind) {}

    /** Workloads of a contestant. */
    public enum Kind {
        /** Publishes, drains and delivers steadily, in several processes, and retries failed calls. */
        LIBRARY,
        /** Publishes, and drains in one process while no call fails. */
        FLOOR,
        /** Forwards a backlog to Kafka. */
        KAFKA,
        /** Forwards a backlog to RabbitMQ. */
        RABBIT,
        /** Serves the console. */
        CONSOLE
    }

    private static final String OUTBOX = "outbox";

    private static final List<Contestant> CONTESTANTS = List.of(
            library(OUTBOX, "outbox", "outbox.Outbox", "outbox-core"),
            library("outbox-version", "outbox", "outbox.VersionedOutbox", "outbox-core"),
            library("outbox-batch", "outbox", "outbox.BatchOutbox", "outbox-core"),
            library("naive", "baseline", "baseline.Naive", "spring-boot"),
            library("namastack", "namastack", "namastack.Namastack", "namastack-outbox-core"),
            library("db-scheduler", "db-scheduler", "dbscheduler.DbScheduler", "db-scheduler"),
            new Contestant("floor", "baseline", "baseline.Floor", "postgresql", Kind.FLOOR),
            new Contestant("outbox-kafka", "kafka", "kafka.KafkaOutbox", "outbox-core", Kind.KAFKA),
            new Contestant("floor-producer", "kafka", "kafka.PlainProducer", "kafka-clients", Kind.KAFKA),
            new Contestant("outbox-rabbit", "rabbit", "rabbit.RabbitOutbox", "outbox-core", Kind.RABBIT),
            new Contestant("floor-confirms", "rabbit", "rabbit.PlainConfirms", "spring-rabbit", Kind.RABBIT),
            new Contestant("outbox-console", "console", "console.ConsoleOutbox", "outbox-core", Kind.CONSOLE));

    private static Contestant library(String name, String module, String type, String library) {
        return new Contestant(name, module, type, library, Kind.LIBRARY);
    }

    /** Returns the names of all contestants, separated by commas. */
    public static String names() {
        return String.join(",", CONTESTANTS.stream().map(Contestant::name).toList());
    }

    /** Returns the chosen entrants in the order of the names, each variant in turn. */
    public static List<Entrant> of(List<String> names, List<String> variants) {
        for (String variant : variants) {
            if (!variant.equals(TUNED) && !variant.equals(DEFAULTS)) {
                throw new IllegalArgumentException("variants must be " + TUNED + " or " + DEFAULTS + ": " + variant);
            }
        }
        return names.stream()
                .map(Entrant::named)
                .flatMap((one) -> (one.name().startsWith(FLOOR) ? List.of(FLOOR) : variants)
                        .stream().map((variant) -> new Entrant(one, variant)))
                .toList();
    }

    private static Contestant named(String name) {
        Optional<Contestant> found =
                CONTESTANTS.stream().filter((one) -> one.name().equals(name)).findFirst();
        return found.orElseThrow(
                () -> new IllegalArgumentException("contestants must be among " + names() + ": " + name));
    }

    /** Returns whether the variant is not {@code defaults}. */
    public boolean tuned() {
        return !variant.equals(DEFAULTS);
    }

    /** Returns whether the contestant takes part in the workloads of a kind. */
    public boolean is(Kind kind) {
        return contestant.kind() == kind;
    }

    /** Returns whether the contestant takes part in the harm tests. */
    public boolean isOutbox() {
        return contestant.name().equals(OUTBOX);
    }

    @Override
    public String toString() {
        return variant.equals(FLOOR) ? contestant.name() : contestant.name() + " (" + variant + ")";
    }
}
