package dev.outbox.internal.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.notify.NotificationChannel.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RespondersTest {

    private static final int MESSAGES = 1_000;
    private static final Set<String> NAMES =
            IntStream.range(0, 8).mapToObj((n) -> "host:1:a" + n).collect(Collectors.toCollection(TreeSet::new));

    private final Map<String, Responders> instances = new HashMap<>();

    RespondersTest() {
        NAMES.forEach((name) -> {
            Responders responders = new Responders(name);
            Set<String> others = new TreeSet<>(NAMES);
            others.remove(name);
            responders.know(Map.of("default", others));
            instances.put(name, responders);
        });
    }

    @Test
    void exactlyOneInstanceRespondsToAMessage() {
        Map<String, Integer> messages = new HashMap<>();
        for (int number = 0; number < MESSAGES; number++) {
            List<String> chosen = chosen(new Message("web", number, 0, WakeUp.of("default")));
            assertThat(chosen).hasSize(1);
            messages.merge(chosen.get(0), 1, Integer::sum);
        }
        assertThat(messages).hasSize(NAMES.size());
        assertThat(messages.values()).allMatch((share) -> share > MESSAGES / NAMES.size() / 2);
    }

    @Test
    void senderIsNotChosen() {
        for (String sender : NAMES) {
            for (int number = 0; number < 100; number++) {
                Message message = new Message(sender, number, 0, WakeUp.of("default"));
                assertThat(NAMES.stream()
                                .filter((name) -> !name.equals(sender))
                                .filter((name) -> instances.get(name).isChosen(message)))
                        .hasSize(1);
            }
        }
    }

    @Test
    void exactlyOneInstanceLeads() {
        assertThat(NAMES.stream().filter((name) -> instances.get(name).leads(Set.of("default"))))
                .hasSize(1);
    }

    @Test
    void instanceThatKnowsNoOtherRespondsAndLeads() {
        Responders alone = new Responders("alone");

        assertThat(alone.isChosen(new Message("web", 7, 0, WakeUp.of("default"))))
                .isTrue();
        assertThat(alone.leads(Set.of("default"))).isTrue();
    }

    @Test
    void messageOfAnotherProgramIsForAll() {
        assertThat(Message.of("mail")).isEqualTo(new Message("", 0, Message.FOR_ALL, WakeUp.of("mail")));
        assertThat(Message.of("a\nb\nc\nSTREAM\nmail").isForAll()).isTrue();
        assertThat(Message.of("a\n1\n0\nOTHER\nmail").isForAll()).isTrue();
    }

    @Test
    void messageOfAnInstanceNamesWhatItWakes() {
        for (WakeUp wakeUp : List.of(WakeUp.of("*"), WakeUp.SCHEDULED, WakeUp.EVERYTHING)) {
            Message message = new Message("web", 7, 0, wakeUp);
            assertThat(Message.of(message.text())).isEqualTo(message);
        }
    }

    private List<String> chosen(Message message) {
        return NAMES.stream()
                .filter((name) -> instances.get(name).isChosen(message))
                .toList();
    }
}
