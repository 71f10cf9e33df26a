package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.context;
import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.find;
import static dev.outbox.spring.autoconfigure.HandlerDiscoveryTest.handle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Handlers of beans that Spring wraps in a proxy. */
class ProxiedHandlersTest {

    private static final List<String> heard = new ArrayList<>();

    @Test
    void handlerOfClassProxyRunsInItsTransaction() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context =
                context(HandlerDiscoveryTest.ClassProxies.class, TransactionalHandler.class)) {
            assertThat(AopUtils.isCglibProxy(context.getBean(TransactionalHandler.class)))
                    .isTrue();
            for (HandlerDefinition handler : find(context)) {
                handle(handler);
            }
        }
        assertThat(heard).containsExactlyInAnyOrder("transactional true", "package-private true");
    }

    @Test
    void handlerOfLazyClassProxyRunsInItsTransaction() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context =
                context(HandlerDiscoveryTest.ClassProxies.class, LazyTransactionalHandler.class)) {
            handle(find(context).get(0));
        }
        assertThat(heard).containsExactly("lazy true");
    }

    @Test
    void handlerOfInterfaceProxyRunsInItsTransaction() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = context(InterfaceProxies.class, InterfaceHandler.class)) {
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean("interfaceHandler")))
                    .isTrue();
            handle(find(context).get(0));
        }
        assertThat(heard).containsExactly("interface true");
    }

    @Test
    void methodThatInterfaceProxyHidesIsRefused() {
        assertThatThrownBy(() -> find(InterfaceProxies.class, HiddenHandler.class))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("hidden by the proxy")
                .hasMessageContaining("HiddenHandler.handle(");
    }

    private static String transaction() {
        return " " + TransactionSynchronizationManager.isActualTransactionActive();
    }

    static class TransactionalHandler {

        @Transactional
        @OutboxHandler
        public void handle(SubscriptionStarted event) {
            heard.add("transactional" + transaction());
        }

        @Transactional
        @OutboxHandler
        void packagePrivate(SubscriptionStarted event) {
            heard.add("package-private" + transaction());
        }
    }

    @Lazy
    @Transactional
    static class LazyTransactionalHandler {

        @OutboxHandler
        public void handle(SubscriptionStarted event) {
            heard.add("lazy" + transaction());
        }
    }

    public interface Handles {

        void handle(SubscriptionStarted event);
    }

    @Transactional
    @org.springframework.stereotype.Component("interfaceHandler")
    static class InterfaceHandler implements Handles {

        @Override
        @OutboxHandler
        public void handle(SubscriptionStarted event) {
            heard.add("interface" + transaction());
        }
    }

    public interface Unrelated {}

    @Transactional
    static class HiddenHandler implements Unrelated, Runnable {

        @OutboxHandler
        public void handle(SubscriptionStarted event) {}

        @Override
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = false)
    static class InterfaceProxies {

        @Bean
        HandlerDiscoveryTest.EmptyTransactions transactionManager() {
            return new HandlerDiscoveryTest.EmptyTransactions();
        }
    }
}
