package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import tools.jackson.databind.JsonNode;

/** Hints only: no native image is built. */
class HandlerHintsTest {

    sealed interface Change permits Renamed, Moved {}

    record Renamed(String name) implements Change {}

    record Moved(Address address) implements Change {}

    record Address(String city) {}

    static class Handlers {

        @OutboxHandler(id = "changes")
        void batch(List<Change> changes) {}

        @OutboxHandler(id = "any", eventTypes = "*")
        void any(JsonNode payload) {}

        @OutboxDeadLetter("changes")
        void dead(DeadLetter deadLetter) {}
    }

    static class Configured {

        @OutboxHandler(id = "configured", timeout = "${RENAMED_TIMEOUT}")
        void renamed(Renamed payload) {}
    }

    @Outboxed
    sealed interface Published permits Deposited {}

    record Deposited(Amount amount) implements Published {}

    record Amount(long won) {}

    @AutoConfigurationPackage(basePackageClasses = HandlerHintsTest.class)
    static class Publishing {}

    static class Refused {

        @OutboxHandler(id = "refused")
        void map(Map<String, String> payload) {}
    }

    @Test
    void annotatedMethodsCanBeCalled() {
        assertThat(hints(Licensing.class, Handlers.class))
                .matches(reflection().onMethodInvocation(Licensing.class, "extend"))
                .matches(reflection().onMethodInvocation(Handlers.class, "batch"))
                .matches(reflection().onMethodInvocation(Handlers.class, "any"))
                .matches(reflection().onMethodInvocation(Handlers.class, "dead"));
    }

    @Test
    void payloadClassesAndWhatTheyHoldCanBeRead() {
        RuntimeHints hints = hints(Licensing.class, Handlers.class);

        assertThat(List.of(SubscriptionStarted.class, Renamed.class, Moved.class, Address.class))
                .allSatisfy((type) -> assertThat(hints)
                        .matches(reflection()
                                .onType(type)
                                .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)));
        assertThat(hints).matches(reflection().onMethodInvocation(Renamed.class, "name"));
    }

    @Test
    void timeoutNeedsNoValueInTheBuild() {
        assertThat(hints(PropertySourcesPlaceholderConfigurer.class, Configured.class))
                .matches(reflection().onMethodInvocation(Configured.class, "renamed"))
                .matches(reflection().onMethodInvocation(Renamed.class, "name"));
    }

    @Test
    void markedClassWithoutAHandlerCanBeWritten() {
        assertThat(hints(Publishing.class))
                .matches(reflection().onMethodInvocation(Deposited.class, "amount"))
                .matches(reflection().onMethodInvocation(Amount.class, "won"));
    }

    @Test
    void invalidHandlerFailsTheBuild() {
        assertThatExceptionOfType(OutboxConfigurationException.class)
                .isThrownBy(() -> hints(Refused.class))
                .withMessageContaining("HandlerHintsTest$Refused.map");
    }

    private static RuntimeHints hints(Class<?>... beans) {
        TestGenerationContext generation = new TestGenerationContext();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(beans);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        return generation.getRuntimeHints();
    }
}
