package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Checks the properties of the inboxes; an invalid one fails the start with the name of its property. */
final class ConfiguredInboxes {

    static final String PREFIX = "outbox.kafka.inboxes";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private ConfiguredInboxes() {}

    /** Returns the inboxes of an application with these streams. */
    static Map<String, InboxSettings> of(Map<String, InboxSettings> inboxes, Set<String> streams) {
        Map<String, InboxSettings> sorted = new TreeMap<>(inboxes);
        sorted.forEach((name, inbox) -> check(name, inbox, streams));
        requireOneInbox(sorted);
        return sorted;
    }

    /** Returns the exception for an inbox without topics, or without any known property. */
    static OutboxConfigurationException withoutTopics(String name) {
        return new OutboxConfigurationException(
                PREFIX + "." + name + ".topics is not set; name the topics that the inbox receives");
    }

    private static void check(String name, InboxSettings inbox, Set<String> streams) {
        String property = PREFIX + "." + name;
        require(
                NAME.matcher(name).matches(),
                property + " must have a name of 1 to 64 letters, digits, dots, hyphens and underscores");
        if (inbox.topics().isEmpty()) {
            throw withoutTopics(name);
        }
        require(
                inbox.topics().stream().noneMatch(String::isBlank),
                property + ".topics has a blank topic; remove it or name the topic");
        require(
                !inbox.group().isBlank(),
                property
                        + ".group is not set; name the consumer group: instances of one service share it, and their offsets are stored under it");
        require(inbox.concurrency() > 0, property + ".concurrency must be at least 1: " + inbox.concurrency());
        require(
                inbox.holdGaps() == null || inbox.holdGaps().toMillis() > 0,
                property + ".hold-gaps must be positive: " + inbox.holdGaps());
        require(
                inbox.stream() == null || streams.contains(inbox.stream()),
                property + ".stream must be one of " + new TreeSet<>(streams) + ", which outbox.streams extends: "
                        + inbox.stream());
        inbox.aliases()
                .forEach((alias) -> require(
                        !alias.startsWith(InboxSettings.HANDLER),
                        property + ".aliases has the handler " + alias
                                + " instead of a former name of the inbox; remove the prefix "
                                + InboxSettings.HANDLER));
    }

    /** An event is stored once: in one group, Kafka would divide the partitions; in two, the inbox that reads an event first would store it. */
    private static void requireOneInbox(Map<String, InboxSettings> inboxes) {
        Map<String, String> taken = new HashMap<>();
        inboxes.forEach((name, inbox) -> new TreeSet<>(inbox.topics()).forEach((topic) -> {
            String other = taken.put(topic, name);
            require(
                    other == null,
                    PREFIX + "." + other + " and " + PREFIX + "." + name + " both receive the topic " + topic
                            + ", so each would store a part of its events; name it in one of them");
        }));
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new OutboxConfigurationException(message);
        }
    }
}
