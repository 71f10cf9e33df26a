package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.kafka.autoconfigure.OutboxKafkaProperties.Gaps;
import dev.outbox.kafka.autoconfigure.OutboxKafkaProperties.Inbox;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Inboxes that the properties configure; an invalid one fails the start with the name of its property. */
final class ConfiguredInboxes {

    static final String PREFIX = "outbox.kafka.inboxes";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int LONGEST_PREFIX = 100;

    private ConfiguredInboxes() {}

    static List<InboxSettings> of(Map<String, Inbox> properties, Set<String> streams) {
        List<InboxSettings> inboxes = new ArrayList<>();
        new TreeMap<>(properties).forEach((name, inbox) -> inboxes.add(settings(name, inbox, streams)));
        requireOneInbox(inboxes);
        return inboxes;
    }

    private static InboxSettings settings(String name, Inbox inbox, Set<String> streams) {
        String property = PREFIX + "." + name;
        require(
                NAME.matcher(name).matches(),
                property + " must have a name of 1 to 64 letters, digits, dots, hyphens and underscores");
        require(
                !inbox.topics().isEmpty() && inbox.topics().stream().noneMatch(String::isBlank),
                property + ".topics must name at least one topic, and none that is blank");
        String group = inbox.group();
        if (group == null || group.isBlank()) {
            throw new OutboxConfigurationException(
                    property
                            + ".group must name the consumer group: instances of one service share it, and Kafka keeps their offsets under it");
        }
        require(inbox.concurrency() > 0, property + ".concurrency must be at least 1: " + inbox.concurrency());
        require(inbox.gapTimeout().toMillis() > 0, property + ".gap-timeout must be positive: " + inbox.gapTimeout());
        require(
                inbox.aggregateTypePrefix().length() <= LONGEST_PREFIX,
                property + ".aggregate-type-prefix must have at most " + LONGEST_PREFIX + " characters");
        String stream = inbox.stream();
        require(
                stream == null || streams.contains(stream),
                property + ".stream must be one of " + new TreeSet<>(streams) + ", which outbox.streams extends: "
                        + stream);
        return new InboxSettings(
                name,
                new InboxSettings.Source(inbox.topics(), group, inbox.concurrency()),
                new InboxSettings.Target(inbox.aggregateTypePrefix(), stream),
                new InboxSettings.Rules(
                        inbox.gaps() == Gaps.HOLD ? inbox.gapTimeout() : null, inbox.late(), inbox.unknownTypes()));
    }

    /** Kafka would divide the partitions of the topic between the two. */
    private static void requireOneInbox(List<InboxSettings> inboxes) {
        Map<String, String> taken = new HashMap<>();
        for (InboxSettings inbox : inboxes) {
            for (String topic : new TreeSet<>(inbox.source().topics())) {
                String other = taken.put(inbox.source().group() + " " + topic, inbox.name());
                require(
                        other == null,
                        PREFIX + "." + other + " and " + PREFIX + "." + inbox.name() + " both receive the topic "
                                + topic
                                + " in the group " + inbox.source().group()
                                + ", so each would get a part of it; name it in one of them");
            }
        }
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new OutboxConfigurationException(message);
        }
    }
}
