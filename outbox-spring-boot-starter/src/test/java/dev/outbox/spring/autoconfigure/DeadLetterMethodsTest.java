package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.DeadLetter;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

class DeadLetterMethodsTest {

    @Test
    void methodIsAttachedToItsHandler() throws Exception {
        try (AnnotationConfigApplicationContext context = HandlerDiscoveryTest.context(Mail.class, DeadMail.class)) {
            DeadLetter letter =
                    new DeadLetter(HandlerDiscoveryTest.ENVELOPE, "mail", "MailException", "no such address", 3);

            for (HandlerDefinition handler : HandlerDiscoveryTest.find(context)) {
                if (handler.id().equals("mail")) {
                    assertThat(handler.deadLetterHandler()).isNotNull();
                    handler.deadLetterHandler().handle(letter);
                } else {
                    assertThat(handler.deadLetterHandler()).isNull();
                }
            }

            assertThat(context.getBean(DeadMail.class).letters).containsExactly(letter);
        }
    }

    @Test
    void methodIsAttachedToSeveralHandlers() {
        assertThat(HandlerDiscoveryTest.find(Mail.class, Both.class))
                .hasSize(2)
                .allSatisfy((handler) -> assertThat(handler.deadLetterHandler()).isNotNull());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refusesMethodThatCannotWork(Class<?> bean, String message) {
        assertThatThrownBy(() -> HandlerDiscoveryTest.find(Mail.class, bean))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(message);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(
                        Unknown.class,
                        "names the handler 'post', which this application does not have; name one of [mail, other]"),
                Arguments.of(Payload.class, "declare it as void handle(DeadLetter deadLetter)"),
                Arguments.of(Private.class, "is private"),
                Arguments.of(Apart.class, "remove propagation = REQUIRES_NEW"),
                Arguments.of(None.class, "names no handler"),
                Arguments.of(Twice.class, "two methods handle the dead letters of 'mail'"));
    }

    static class Mail {
        @OutboxHandler(id = "mail")
        void send(SubscriptionStarted event) {}

        @OutboxHandler(id = "other")
        void other(SubscriptionStarted event) {}
    }

    static class DeadMail {
        final List<DeadLetter> letters = new ArrayList<>();

        @OutboxDeadLetter("mail")
        void dead(DeadLetter letter) {
            letters.add(letter);
        }
    }

    static class Both {
        @OutboxDeadLetter({"mail", "other"})
        void dead(DeadLetter letter) {}
    }

    static class None {
        @OutboxDeadLetter({})
        void dead(DeadLetter letter) {}
    }

    static class Unknown {
        @OutboxDeadLetter("post")
        void dead(DeadLetter letter) {}
    }

    static class Payload {
        @OutboxDeadLetter("mail")
        void dead(SubscriptionStarted event) {}
    }

    static class Private {
        @OutboxDeadLetter("mail")
        private void dead(DeadLetter letter) {}
    }

    static class Apart {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxDeadLetter("mail")
        void dead(DeadLetter letter) {}
    }

    static class Twice {
        @OutboxDeadLetter("mail")
        void dead(DeadLetter letter) {}

        @OutboxDeadLetter("mail")
        void deadAgain(DeadLetter letter) {}
    }
}
