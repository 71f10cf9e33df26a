package dev.outbox.benchmarks.arena;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
     * @param type the class that implements it
     * @param library the artifact whose version the report prints
     * @param skills its abilities
     */
    public record Contestant(String name, String module, String type, String library, Set<Skill> skills) {}

    /** Ability that not every contestant has. */
    public enum Skill {
        /** Stores an event in the domain transaction, or measures the floor of that. */
        PUBLISH,
        /** Keeps published events in the database. */
        STORE,
        /** Drains a backlog. */
        DRAIN,
        /** Shares a backlog among several processes. */
        SHARE,
        /** Retries a failed call. */
        RETRY,
        /** Delivers steadily published events in the publishing process. */
        DELIVER_HERE,
        /** Delivers steadily published events in another process. */
        DELIVER_ELSEWHERE,
        /** Forwards a backlog to Kafka. */
        FORWARD,
        /** Is this library, and takes part in the harm tests. */
        HARM
    }

    private static final Set<Skill> OUTBOX_SKILLS = EnumSet.complementOf(EnumSet.of(Skill.HARM, Skill.FORWARD));

    private static final List<Contestant> CONTESTANTS = List.of(
            new Contestant(
                    "outbox",
                    "outbox",
                    "dev.outbox.benchmarks.outbox.Outbox",
                    "outbox-core",
                    EnumSet.complementOf(EnumSet.of(Skill.FORWARD))),
            new Contestant(
                    "outbox-version",
                    "outbox",
                    "dev.outbox.benchmarks.outbox.VersionedOutbox",
                    "outbox-core",
                    OUTBOX_SKILLS),
            new Contestant(
                    "outbox-batch",
                    "outbox",
                    "dev.outbox.benchmarks.outbox.BatchOutbox",
                    "outbox-core",
                    EnumSet.of(Skill.DRAIN, Skill.SHARE, Skill.RETRY)),
            new Contestant("naive", "baseline", "dev.outbox.benchmarks.baseline.Naive", "spring-boot", OUTBOX_SKILLS),
            new Contestant(
                    "namastack",
                    "namastack",
                    "dev.outbox.benchmarks.namastack.Namastack",
                    "namastack-outbox-core",
                    OUTBOX_SKILLS),
            new Contestant(
                    "db-scheduler",
                    "db-scheduler",
                    "dev.outbox.benchmarks.dbscheduler.DbScheduler",
                    "db-scheduler",
                    OUTBOX_SKILLS),
            new Contestant(
                    "outbox-kafka",
                    "kafka",
                    "dev.outbox.benchmarks.kafka.KafkaOutbox",
                    "outbox-core",
                    EnumSet.of(Skill.FORWARD)),
            new Contestant(
                    "floor-producer",
                    "kafka",
                    "dev.outbox.benchmarks.kafka.PlainProducer",
                    "kafka-clients",
                    EnumSet.of(Skill.FORWARD)),
            floor("floor-domain", "DomainFloor", EnumSet.of(Skill.PUBLISH)),
            floor("floor-insert", "InsertFloor", EnumSet.of(Skill.PUBLISH, Skill.STORE)),
            floor("floor-spring", "SpringFloor", EnumSet.of(Skill.PUBLISH, Skill.STORE)),
            floor("floor-order", "OrderFloor", EnumSet.of(Skill.PUBLISH, Skill.STORE)),
            floor("floor-move", "MoveFloor", EnumSet.of(Skill.DRAIN)),
            floor("floor-notify", "NotifyFloor", EnumSet.of(Skill.DELIVER_HERE, Skill.DELIVER_ELSEWHERE)));

    private static Contestant floor(String name, String type, Set<Skill> skills) {
        return new Contestant(name, "baseline", "dev.outbox.benchmarks.baseline." + type, "postgresql", skills);
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

    /** Returns whether the contestant has an ability. */
    public boolean can(Skill skill) {
        return contestant.skills().contains(skill);
    }

    @Override
    public String toString() {
        return variant.equals(FLOOR) ? contestant.name() : contestant.name() + " (" + variant + ")";
    }
}
