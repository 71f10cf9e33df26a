package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.context;
import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.find;
import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.handle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

/** Handlers of beans that Spring creates late, or more than once. */
class ScopedHandlersTest {

    private static final List<String> heard = new ArrayList<>();

    @Test
    void lazyBeanIsCreatedByItsFirstEvent() throws Exception {
        LazyHandler.created = 0;
        try (AnnotationConfigApplicationContext context = context(LazyHandler.class)) {
            HandlerDefinition handler = find(context).get(0);
            assertThat(LazyHandler.created).isZero();

            handle(handler);
            handle(handler);

            assertThat(LazyHandler.created).isOne();
        }
    }

    @Test
    void prototypeIsCreatedForEachEvent() throws Exception {
        PrototypeHandler.created = 0;
        try (AnnotationConfigApplicationContext context = context(PrototypeHandler.class)) {
            HandlerDefinition handler = find(context).get(0);

            handle(handler);
            handle(handler);

            assertThat(PrototypeHandler.created).isEqualTo(2);
        }
    }

    @Test
    void scopedBeanIsOneHandlerBehindItsProxy() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
            context.register(ScopedHandler.class);
            context.refresh();
            List<HandlerDefinition> handlers = find(context);

            assertThat(handlers).extracting(HandlerDefinition::id).containsExactly("scoped");
            handle(handlers.get(0));
            assertThat(heard).containsExactly("scoped");
        }
    }

    @Lazy
    static class LazyHandler {

        static int created;

        LazyHandler() {
            created++;
        }

        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    @Scope("prototype")
    static class PrototypeHandler {

        static int created;

        PrototypeHandler() {
            created++;
        }

        @OutboxHandler
        void handle(SubscriptionStarted event) {}
    }

    @Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class ScopedHandler {

        @OutboxHandler(id = "scoped")
        void handle(SubscriptionStarted event) {
            heard.add("scoped");
        }
    }
}
