package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.OutboxHandler;
import dev.outbox.internal.dispatch.LocalHandlers;
import dev.outbox.spring.autoconfigure.Subscriptions.PaymentSucceeded;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class HandlerDiscoveryTest {

    private static final EventContext CONTEXT = new EventContext() {
        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public Instant leaseDeadline() {
            return Instant.MAX;
        }

        @Override
        public boolean isLeaseLost() {
            return false;
        }
    };

    private static final EventEnvelope ENVELOPE = new EventEnvelope(
            1, UUID.randomUUID(), "default", "order", "1", 1, "SubscriptionStarted", 1, "{}", Map.of(), Instant.EPOCH);

    private static final List<String> heard = new ArrayList<>();

    @Test
    void everySupportedSignatureBecomesHandler() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = context(Signatures.class)) {
            for (HandlerDefinition handler : find(context)) {
                Object payload = handler.payloadType() == JsonNode.class
                        ? JsonMapper.shared().readTree("{}")
                        : new SubscriptionStarted("gold");
                handler.handle(payload, ENVELOPE, CONTEXT);
            }
        }
        assertThat(heard)
                .containsExactlyInAnyOrder(
                        "payload", "payload+", "json", "json+", "envelope", "payload 1", "payload+ 1", "envelope 1");
    }

    @Test
    void idIsBeanNameAndMethodNameUnlessGiven() {
        try (AnnotationConfigApplicationContext context = context(Signatures.class)) {
            assertThat(find(context))
                    .extracting(HandlerDefinition::id)
                    .contains("handlerDiscoveryTest.Signatures.payload", "given.id");
        }
    }

    @Test
    void lazyBeanIsCreatedByItsFirstEvent() throws Exception {
        LazyHandler.created = 0;
        try (AnnotationConfigApplicationContext context = context(LazyHandler.class)) {
            HandlerDefinition handler = find(context).get(0);
            assertThat(LazyHandler.created).isZero();

            handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
            handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);

            assertThat(LazyHandler.created).isOne();
        }
    }

    @Test
    void prototypeIsCreatedForEachEvent() throws Exception {
        PrototypeHandler.created = 0;
        try (AnnotationConfigApplicationContext context = context(PrototypeHandler.class)) {
            HandlerDefinition handler = find(context).get(0);

            handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
            handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);

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
            handlers.get(0).handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
            assertThat(heard).containsExactly("scoped");
        }
    }

    @Test
    void handlerOfClassProxyRunsInItsTransaction() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = context(ClassProxies.class, TransactionalHandler.class)) {
            assertThat(AopUtils.isCglibProxy(context.getBean(TransactionalHandler.class)))
                    .isTrue();
            for (HandlerDefinition handler : find(context)) {
                handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
            }
        }
        assertThat(heard).containsExactlyInAnyOrder("transactional true", "package-private true");
    }

    @Test
    void handlerOfLazyClassProxyRunsInItsTransaction() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = context(ClassProxies.class, LazyTransactionalHandler.class)) {
            find(context).get(0).handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
        }
        assertThat(heard).containsExactly("lazy true");
    }

    @Test
    void handlerOfInterfaceProxyRunsInItsTransaction() throws Exception {
        heard.clear();
        try (AnnotationConfigApplicationContext context = context(InterfaceProxies.class, InterfaceHandler.class)) {
            assertThat(AopUtils.isJdkDynamicProxy(context.getBean("interfaceHandler")))
                    .isTrue();
            find(context).get(0).handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT);
        }
        assertThat(heard).containsExactly("interface true");
    }

    @Test
    void methodThatInterfaceProxyHidesIsRefused() {
        try (AnnotationConfigApplicationContext context = context(InterfaceProxies.class, HiddenHandler.class)) {
            assertThatThrownBy(() -> find(context))
                    .isInstanceOf(HandlerConfigurationException.class)
                    .hasMessageContaining("hidden by the proxy")
                    .hasMessageContaining("HiddenHandler.handle(");
        }
    }

    @Test
    void finalMethodOfClassProxyIsRefused() {
        try (AnnotationConfigApplicationContext context = context(ClassProxies.class, FinalHandler.class)) {
            assertThatThrownBy(() -> find(context))
                    .isInstanceOf(HandlerConfigurationException.class)
                    .hasMessageContaining("is final");
        }
    }

    @Test
    void exceptionOfHandlerArrivesUnwrapped() {
        try (AnnotationConfigApplicationContext context = context(ClassProxies.class, Thrower.class)) {
            Map<String, Class<? extends Throwable>> thrown = Map.of(
                    "fatal", NonRetryableException.class, "checked", IOException.class, "error", AssertionError.class);
            for (HandlerDefinition handler : find(context)) {
                assertThatThrownBy(() -> handler.handle(new SubscriptionStarted("gold"), ENVELOPE, CONTEXT))
                        .isInstanceOf(thrown.get(handler.id()));
            }
        }
    }

    @Test
    void typeParameterIsResolvedByTheBeanClass() {
        try (AnnotationConfigApplicationContext context = context(PaymentHandler.class)) {
            assertThat(find(context)).singleElement().satisfies((handler) -> {
                assertThat(handler.payloadType()).isEqualTo(PaymentSucceeded.class);
                assertThat(handler.id()).isEqualTo("generic");
            });
        }
    }

    @Test
    void methodMayBeMarkedInAnInterface() {
        try (AnnotationConfigApplicationContext context = context(Implementation.class)) {
            assertThat(find(context)).extracting(HandlerDefinition::id).containsExactly("marked");
        }
    }

    @Test
    void twoHandlersWithOneIdAreRefusedWithBothPlaces() {
        try (AnnotationConfigApplicationContext context = context(Signatures.class, SameId.class)) {
            assertThatThrownBy(() -> find(context))
                    .isInstanceOf(HandlerConfigurationException.class)
                    .hasMessageContaining("two handlers have the id 'given.id'")
                    .hasMessageContaining("Signatures.payloadAndEnvelope(")
                    .hasMessageContaining("bean 'sameId'");
        }
    }

    @Test
    void twoVersionsOfOneTypeAreRefused() {
        try (AnnotationConfigApplicationContext context = context(TwoVersions.class)) {
            List<HandlerDefinition> handlers = find(context);
            assertThatThrownBy(() -> new LocalHandlers(handlers))
                    .isInstanceOf(HandlerConfigurationException.class)
                    .hasMessageContaining("PlanChanged")
                    .hasMessageContaining("one application handles one version of a type");
        }
    }

    @Test
    void handlerSaysWhatFollowsADeadEventAndWhatItWasCalled() {
        try (AnnotationConfigApplicationContext context = context(Renamed.class)) {
            HandlerDefinition handler = find(context).get(0);
            assertThat(handler.onDead()).isEqualTo(OnDead.BLOCK);
            assertThat(handler.aliases()).containsExactly("former", "first");
        }
        try (AnnotationConfigApplicationContext context = context(Signatures.class)) {
            assertThat(find(context)).allSatisfy((handler) -> {
                assertThat(handler.onDead()).isEqualTo(OnDead.CONTINUE);
                assertThat(handler.aliases()).isEmpty();
            });
        }
    }

    static class Renamed {

        @OutboxHandler(
                id = "current",
                onDead = OnDead.BLOCK,
                aliases = {"former", "first"})
        void handle(SubscriptionStarted event) {}
    }

    @Test
    void handlerDeduplicatesWhereItSaysSo() {
        try (AnnotationConfigApplicationContext context = context(Deduplicated.class)) {
            assertThat(find(context))
                    .extracting(HandlerDefinition::id, HandlerDefinition::deduplicates)
                    .containsExactlyInAnyOrder(tuple("payload", true), tuple("envelope", true), tuple("plain", false));
        }
    }

    static class Deduplicated {
        @Transactional
        @OutboxHandler(id = "payload", deduplicate = true)
        void payload(SubscriptionStarted event) {}

        @OutboxHandler(id = "envelope", eventTypes = "*", deduplicate = true)
        void envelope(EventEnvelope envelope) {}

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxHandler(id = "plain")
        void plain(SubscriptionStarted event) {}
    }

    @Test
    void handlerSaysWhatHappensBehindItsDeadEvents() {
        try (AnnotationConfigApplicationContext context = context(Blocking.class)) {
            assertThat(find(context))
                    .extracting(HandlerDefinition::id, HandlerDefinition::onDead)
                    .containsExactlyInAnyOrder(tuple("ledger", OnDead.BLOCK), tuple("mail", OnDead.CONTINUE));
        }
    }

    static class Blocking {
        @OutboxHandler(id = "ledger", onDead = OnDead.BLOCK)
        void ledger(SubscriptionStarted event) {}

        @OutboxHandler(id = "mail")
        void mail(SubscriptionStarted event) {}
    }

    static List<Arguments> refusedMethods() {
        return List.of(
                Arguments.of(PrivateMethod.class, "is private"),
                Arguments.of(StaticMethod.class, "is static"),
                Arguments.of(ReturnsValue.class, "returns a value"),
                Arguments.of(DeduplicatesApart.class, "remove propagation = REQUIRES_NEW"),
                Arguments.of(AsyncMethod.class, "is @Async"),
                Arguments.of(AsyncClass.class, "is @Async"),
                Arguments.of(NoParameter.class, "void handle(Payload event, EventEnvelope envelope)"),
                Arguments.of(ThreeParameters.class, "void handle(Payload event, EventEnvelope envelope)"),
                Arguments.of(WrongOrder.class, "void handle(Payload event, EventEnvelope envelope)"),
                Arguments.of(TwoEnvelopes.class, "void handle(Payload event, EventEnvelope envelope)"),
                Arguments.of(StringPayload.class, "has parameters that a handler cannot have"),
                Arguments.of(PrimitivePayload.class, "has parameters that a handler cannot have"),
                Arguments.of(GenericPayload.class, "has parameters that a handler cannot have"),
                Arguments.of(NodeSubclass.class, "has parameters that a handler cannot have"),
                Arguments.of(OtherNode.class, "JsonNode is tools.jackson.databind.JsonNode"),
                Arguments.of(EnvelopeWithoutType.class, "names no event type"),
                Arguments.of(NodeWithoutType.class, "names no event type"));
    }

    @ParameterizedTest
    @MethodSource("refusedMethods")
    void methodThatCannotBeHandlerIsRefusedByName(Class<?> bean, String reason) {
        try (AnnotationConfigApplicationContext context = context(bean)) {
            assertThatThrownBy(() -> find(context))
                    .isInstanceOf(HandlerConfigurationException.class)
                    .hasMessageContaining(reason)
                    .hasMessageContaining(bean.getSimpleName() + ".refused(");
        }
    }

    private static AnnotationConfigApplicationContext context(Class<?>... beans) {
        return new AnnotationConfigApplicationContext(beans);
    }

    private static List<HandlerDefinition> find(AnnotationConfigApplicationContext context) {
        return new HandlerDiscovery(context.getBeanFactory()).find();
    }

    private static String transaction() {
        return " " + TransactionSynchronizationManager.isActualTransactionActive();
    }

    static class Signatures {

        @OutboxHandler
        void payload(SubscriptionStarted event) {
            heard.add("payload");
        }

        @OutboxHandler(id = "given.id")
        void payloadAndEnvelope(SubscriptionStarted event, EventEnvelope envelope) {
            heard.add("payload+");
        }

        @OutboxHandler
        void payloadAndContext(SubscriptionStarted event, EventContext context) {
            heard.add("payload " + context.attempt());
        }

        @OutboxHandler
        void payloadEnvelopeAndContext(SubscriptionStarted event, EventEnvelope envelope, EventContext context) {
            heard.add("payload+ " + context.attempt());
        }

        @OutboxHandler(eventTypes = "*")
        void envelopeAndContext(EventEnvelope envelope, EventContext context) {
            heard.add("envelope " + context.attempt());
        }

        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void json(JsonNode payload) {
            heard.add("json");
        }

        @OutboxHandler(eventTypes = "*")
        protected void jsonAndEnvelope(JsonNode payload, EventEnvelope envelope) {
            heard.add("json+");
        }

        @OutboxHandler(eventTypes = "*")
        public void envelope(EventEnvelope envelope) {
            heard.add("envelope");
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

    @Transactional
    static class FinalHandler {

        @OutboxHandler
        public final void handle(SubscriptionStarted event) {}

        public void other() {}
    }

    @Transactional
    static class Thrower {

        @OutboxHandler(id = "fatal")
        public void fatal(SubscriptionStarted event) {
            throw new NonRetryableException("on purpose");
        }

        @OutboxHandler(id = "checked")
        public void checked(SubscriptionStarted event) throws IOException {
            throw new IOException("on purpose");
        }

        @OutboxHandler(id = "error")
        public void error(SubscriptionStarted event) {
            throw new AssertionError("on purpose");
        }
    }

    abstract static class GenericHandler<T> {

        @OutboxHandler(id = "generic")
        void handle(T event) {}
    }

    static class PaymentHandler extends GenericHandler<PaymentSucceeded> {}

    interface MarkedInterface {

        @OutboxHandler(id = "marked")
        void handle(SubscriptionStarted event);
    }

    static class Implementation implements MarkedInterface {

        @Override
        public void handle(SubscriptionStarted event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class SameId {

        @Bean
        HandlerDefinition sameId() {
            return HandlerDefinition.of("given.id", Set.of("*"), (envelope) -> {});
        }
    }

    static class TwoVersions {

        @EventType("PlanChanged")
        record PlanChanged(String plan) {}

        @EventType(value = "PlanChanged", version = 2)
        record PlanChangedAgain(String plan) {}

        @OutboxHandler
        void first(PlanChanged event) {}

        @OutboxHandler
        void second(PlanChangedAgain event) {}
    }

    static class PrivateMethod {
        @OutboxHandler
        private void refused(SubscriptionStarted event) {}
    }

    static class StaticMethod {
        @OutboxHandler
        static void refused(SubscriptionStarted event) {}
    }

    static class ReturnsValue {
        @OutboxHandler
        String refused(SubscriptionStarted event) {
            return "";
        }
    }

    static class DeduplicatesApart {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @OutboxHandler(deduplicate = true)
        void refused(SubscriptionStarted event) {}
    }

    static class AsyncMethod {
        @Async
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    @Async
    static class AsyncClass {
        @OutboxHandler
        void refused(SubscriptionStarted event) {}
    }

    static class NoParameter {
        @OutboxHandler(eventTypes = "*")
        void refused() {}
    }

    static class ThreeParameters {
        @OutboxHandler
        void refused(SubscriptionStarted event, EventEnvelope envelope, String more) {}
    }

    static class WrongOrder {
        @OutboxHandler
        void refused(EventEnvelope envelope, SubscriptionStarted event) {}
    }

    static class TwoEnvelopes {
        @OutboxHandler(eventTypes = "*")
        void refused(EventEnvelope envelope, EventEnvelope other) {}
    }

    static class StringPayload {
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void refused(String payload) {}
    }

    static class PrimitivePayload {
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void refused(int payload) {}
    }

    record Wrapper<T>(T value) {}

    static class GenericPayload {
        @OutboxHandler
        void refused(Wrapper<String> payload) {}
    }

    static class NodeSubclass {
        @OutboxHandler(eventTypes = "SubscriptionStarted")
        void refused(ObjectNode payload) {}
    }

    static class OtherNode {

        /** Stands for the class of this name in Jackson 2. */
        static class JsonNode {}

        @OutboxHandler
        void refused(JsonNode payload) {}
    }

    static class EnvelopeWithoutType {
        @OutboxHandler
        void refused(EventEnvelope envelope) {}
    }

    static class NodeWithoutType {
        @OutboxHandler
        void refused(JsonNode payload, EventEnvelope envelope) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class ClassProxies {

        @Bean
        EmptyTransactions transactionManager() {
            return new EmptyTransactions();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = false)
    static class InterfaceProxies {

        @Bean
        EmptyTransactions transactionManager() {
            return new EmptyTransactions();
        }
    }

    /** Transactions of nothing. */
    static final class EmptyTransactions extends AbstractPlatformTransactionManager {

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
