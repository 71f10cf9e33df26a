package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.ReflectionHintsPredicates;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

class HandlerHintsTest {

    private static final ReflectionHintsPredicates REFLECTION = RuntimeHintsPredicates.reflection();

    private final GenerationContext generation = new TestGenerationContext();
    private final RuntimeHints hints = generation.getRuntimeHints();

    record Shipped(Address to, List<Item> items, Map<String, Item> gifts, Carrier by) {}

    record Address(String city) {}

    record Item(String name, int[] sizes) {}

    sealed interface Carrier permits Post, Drone {}

    record Post(String office) implements Carrier {}

    record Drone(Address base) implements Carrier {}

    record Billed(int amount) {}

    record Unhandled(String reason) {}

    interface Mailing {

        void mail(Shipped event);
    }

    static class Mails implements Mailing {

        @Override
        @OutboxHandler(id = "mail")
        public void mail(Shipped event) {}

        @OutboxHandler(id = "all", eventTypes = "*")
        void all(EventEnvelope event) {}

        @OutboxDeadLetter("mail")
        void dead(DeadLetter deadLetter) {}

        void unrelated(Address address) {}
    }

    static class Books {

        @OutboxHandler(id = "books")
        void write(List<Billed> events, List<EventEnvelope> envelopes) {}
    }

    @BeforeEach
    void process() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("mails", new RootBeanDefinition(Mails.class));
        beans.registerBeanDefinition("books", new RootBeanDefinition(Books.class));
        beans.registerBeanDefinition("other", new RootBeanDefinition(StringBuilder.class));

        new HandlerHints().processAheadOfTime(beans).applyTo(generation, mock(BeanFactoryInitializationCode.class));
    }

    @Test
    void methodsAreCallable() {
        assertThat(REFLECTION.onMethodInvocation(Mails.class, "mail")).accepts(hints);
        assertThat(REFLECTION.onMethodInvocation(Mailing.class, "mail")).accepts(hints);
        assertThat(REFLECTION.onMethodInvocation(Mails.class, "all")).accepts(hints);
        assertThat(REFLECTION.onMethodInvocation(Mails.class, "dead")).accepts(hints);
        assertThat(REFLECTION.onMethodInvocation(Books.class, "write")).accepts(hints);
        assertThat(REFLECTION.onMethodInvocation(Mails.class, "unrelated")).rejects(hints);
    }

    @Test
    void payloadsAreReadableWithAllTheyContain() {
        for (Class<?> payload :
                List.of(Shipped.class, Address.class, Item.class, Post.class, Drone.class, Billed.class)) {
            assertThat(REFLECTION.onConstructorInvocation(payload.getDeclaredConstructors()[0]))
                    .as(payload.getSimpleName())
                    .accepts(hints);
            assertThat(REFLECTION.onMethodInvocation(payload, payload.getRecordComponents()[0].getName()))
                    .as(payload.getSimpleName())
                    .accepts(hints);
        }
        assertThat(REFLECTION.onType(Unhandled.class)).rejects(hints);
    }

    @Test
    void beansWithoutHandlersNeedNothing() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("other", new RootBeanDefinition(StringBuilder.class));

        assertThat(new HandlerHints().processAheadOfTime(beans)).isNull();
    }
}
