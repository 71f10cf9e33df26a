package dev.outbox.benchmarks.arena;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A contestant at certain settings.
 *
 * @param contestant who
 * @param variant its settings: {@code tuned}, {@code defaults}, or {@code floor} for one that has no choice
 */
public record Entrant(Contestant contestant, String variant) {

    /** The settings that the documentation of the contestant, or a short trial, shows to be best. */
    public static final String TUNED = "tuned";

    /** The settings that it has when nothing is configured. */
    public static final String DEFAULTS = "defaults";

    /** The settings of a limit. */
    public static final String FLOOR = "floor";

    /**
     * Who it is.
     *
     * @param name its short name
     * @param module the directory of its module
     * @param type the class that implements it
     * @param library the artifact whose version is told
     * @param skills what it can do
     */
    public record Contestant(String name, String module, String type, String library, Set<Skill> skills) {}

    /** What not every contestant can do. */
    public enum Skill {
        /** It stores an event in the transaction of a domain change, or measures what that costs at least. */
        PUBLISH,
        /** What it publishes can be found in the database. */
        STORE,
        /** It can work off a backlog. */
        DRAIN,
        /** Several processes can share its work. */
        SHARE,
        /** It tries a failed call again. */
        RETRY,
        /** It delivers steadily published events in the publishing process. */
        DELIVER_HERE,
        /** It delivers steadily published events in another process. */
        DELIVER_ELSEWHERE,
        /** It is this library. */
        HARM
    }

    private static final Set<Skill> OUTBOX_SKILLS = EnumSet.complementOf(EnumSet.of(Skill.HARM));

    private static final List<Contestant> CONTESTANTS = List.of(
            new Contestant(
                    "outbox",
                    "outbox",
                    "dev.outbox.benchmarks.outbox.Outbox",
                    "outbox-core",
                    EnumSet.allOf(Skill.class)),
            new Contestant("naive", "baseline", "dev.outbox.benchmarks.baseline.Naive", "spring-boot", OUTBOX_SKILLS),
            new Contestant(
                    "namastack",
                    "namastack",
                    "dev.outbox.benchmarks.namastack.Namastack",
                    "namastack-outbox-core",
                    OUTBOX_SKILLS),
            new Contestant(
                    "modulith",
                    "modulith",
                    "dev.outbox.benchmarks.modulith.Modulith",
                    "spring-modulith-events-core",
                    EnumSet.complementOf(EnumSet.of(Skill.HARM, Skill.DELIVER_ELSEWHERE))),
            new Contestant(
                    "db-scheduler",
                    "db-scheduler",
                    "dev.outbox.benchmarks.dbscheduler.DbScheduler",
                    "db-scheduler",
                    OUTBOX_SKILLS),
            new Contestant(
                    "transaction-outbox",
                    "transaction-outbox",
                    "dev.outbox.benchmarks.transactionoutbox.TransactionOutboxService",
                    "transactionoutbox-core",
                    EnumSet.complementOf(EnumSet.of(Skill.HARM, Skill.DELIVER_ELSEWHERE))),
            floor("floor-domain", "DomainFloor", EnumSet.of(Skill.PUBLISH)),
            floor("floor-insert", "InsertFloor", EnumSet.of(Skill.PUBLISH, Skill.STORE)),
            floor("floor-order", "OrderFloor", EnumSet.of(Skill.PUBLISH, Skill.STORE)),
            floor("floor-move", "MoveFloor", EnumSet.of(Skill.DRAIN)),
            floor("floor-notify", "NotifyFloor", EnumSet.of(Skill.DELIVER_HERE, Skill.DELIVER_ELSEWHERE)));

    private static Contestant floor(String name, String type, Set<Skill> skills) {
        return new Contestant(name, "baseline", "dev.outbox.benchmarks.baseline." + type, "postgresql", skills);
    }

    /**
     * Returns the names of all contestants.
     *
     * @return the names, separated by commas
     */
    public static String everyone() {
        return String.join(",", CONTESTANTS.stream().map(Contestant::name).toList());
    }

    /**
     * Returns the entrants that were chosen.
     *
     * @param names the names of contestants
     * @param variants the variants of those that have a choice
     * @return the entrants in the order of the names, each variant in turn
     */
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
                () -> new IllegalArgumentException("contestants must be among " + everyone() + ": " + name));
    }

    /**
     * Says whether it runs at its best.
     *
     * @return whether it does
     */
    public boolean tuned() {
        return !variant.equals(DEFAULTS);
    }

    /**
     * Says whether it can do something.
     *
     * @param skill what
     * @return whether it can
     */
    public boolean can(Skill skill) {
        return contestant.skills().contains(skill);
    }

    /** Names it for people. */
    @Override
    public String toString() {
        return variant.equals(FLOOR) ? contestant.name() : contestant.name() + " (" + variant + ")";
    }
}
