package dev.outbox.modulith.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.Outboxed;
import dev.outbox.forwarding.autoconfigure.RouteLifecycle;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.core.ConditionalEventListener;

@ExtendWith(OutputCaptureExtension.class)
class ModuleListenerRulesTest {

    record Plain() {}

    @Outboxed
    record Marked() {}

    @Externalized
    record Sent() {}

    sealed interface Mixed permits MarkedPart, PlainPart {}

    @Outboxed
    record MarkedPart() implements Mixed {}

    record PlainPart() implements Mixed {}

    sealed interface All permits OnePart, OtherPart {}

    @Outboxed
    record OnePart() implements All {}

    @Externalized
    record OtherPart() implements All {}

    @ApplicationModuleListener
    @Retention(RetentionPolicy.RUNTIME)
    @interface Selecting {

        @AliasFor(annotation = EventListener.class, attribute = "classes")
        Class<?>[] classes();
    }

    @SuppressWarnings("unused")
    static class Listeners {

        @ApplicationModuleListener
        void plain(Plain event) {}

        @ApplicationModuleListener
        void marked(Marked event) {}

        @ApplicationModuleListener
        void sent(Sent event) {}

        @ApplicationModuleListener
        void mixed(Mixed event) {}

        @ApplicationModuleListener
        void all(All event) {}

        @Selecting(classes = Marked.class)
        void selecting(Marked event) {}

        @EventListener
        void springs(Marked event) {}
    }

    private final ModuleListeners listeners = new ModuleListeners(new StaticListableBeanFactory());

    @Test
    void adoptsModuleListenersOfMarkedClasses() {
        assertThat(Stream.of("plain", "marked", "sent", "all", "selecting", "springs")
                        .filter((name) -> listeners.supportsMethod(method(name))))
                .containsExactly("marked", "sent", "all");
    }

    @Test
    void sealedTypeIsMarkedCompletelyOrNotAtAll() {
        assertThatThrownBy(() -> listeners.supportsMethod(method("mixed")))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessage("the listener " + Listeners.class.getName()
                        + ".mixed takes [PlainPart], which the outbox does"
                        + " not store, and other permitted types of " + Mixed.class.getName() + ", which it stores;"
                        + " annotate all of them with @Outboxed or @Externalized, or none");
    }

    @Test
    void warnsOfUnmarkedEventThatAHandlerTakesToo(CapturedOutput output) {
        listeners.supportsMethod(method("plain"));
        listeners.supportsMethod(method("marked"));

        report(new StaticListableBeanFactory());

        assertThat(output)
                .containsOnlyOnce("Event " + Plain.class.getName() + " has two ways: Spring Modulith delivers it to "
                        + Listeners.class.getName() + ".plain when it is published as a Spring event, and the outbox to"
                        + " handler 'stock' when OutboxPublisher publishes it. Annotate the class with @Outboxed, so"
                        + " that the outbox delivers it to both")
                .doesNotContain(Marked.class.getName());
    }

    @Test
    void warnsOfEventThatModulithAndARouteMaySend(CapturedOutput output) {
        listeners.createApplicationListener("listeners", Listeners.class, method("sent"));
        listeners.createApplicationListener("listeners", Listeners.class, method("marked"));
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("externalizer", mock(ConditionalEventListener.class));
        report(beans);
        assertThat(output).doesNotContain("externalizes");

        beans.addBean("routes", mock(RouteLifecycle.class));
        report(beans);

        assertThat(output)
                .containsOnlyOnce(
                        "Spring Modulith externalizes [" + Sent.class.getName() + "], which the outbox stores for"
                                + " their listeners, so a route that takes them sends them a second time. Set"
                                + " spring.modulith.events.externalization.mode=outbox, or let no route take them");
    }

    private void report(StaticListableBeanFactory beans) {
        new DoubleDeliveries(listeners, (payload) -> Optional.of("stock"), beans)
                .onApplicationEvent(new ContextRefreshedEvent(new StaticApplicationContext()));
    }

    private static Method method(String name) {
        return Stream.of(Listeners.class.getDeclaredMethods())
                .filter((method) -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
