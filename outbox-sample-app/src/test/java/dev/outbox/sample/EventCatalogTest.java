package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxHandler;
import dev.outbox.OutboxMapper;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.GuildEvent;
import dev.outbox.sample.events.IdentityEvent;
import dev.outbox.sample.events.LicensingEvent;
import dev.outbox.sample.events.MemberEvent;
import dev.outbox.sample.events.RecoveryEvent;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The events, their fields and their subscribers are those of the catalogue in the document, except for the differences that are listed. */
@SampleTest
class EventCatalogTest {

    private static final String SERVICE = "dev.outbox.sample.";

    /** The table of the document, without its column of triggers and its remarks. */
    private static final String CATALOG = """
            BotInstalled           | guild_id, installer_user_id                       | Licensing, Audit
            BotKicked              | guild_id                                          | Licensing, Billing, Audit
            GuildOwnerChanged      | guild_id, old_owner_id, new_owner_id              | Audit
            GuildDeleted           | guild_id                                          | Licensing, Billing, Audit
            BillingKeyIssued       | user_id, billing_key_id                           | Audit
            BillingKeyDeleted      | user_id, billing_key_id                           | Licensing, Billing, Audit
            SubscriptionStarted    | subscription_id, guild_id, plan_code              | Licensing, Notification, Audit
            PaymentSucceeded       | subscription_id, attempt_id, new_period_end       | Licensing, Audit
            PaymentFailed          | subscription_id, attempt_id, retry_count          | Notification, Audit
            PaymentFailedFinal     | subscription_id                                   | Licensing, Notification, Audit
            SubscriptionCanceled   | subscription_id, cancel_at_period_end             | Notification, Audit
            SubscriptionSuspended  | subscription_id, reason                           | Licensing, Audit
            PlanUpgraded           | subscription_id, old_plan, new_plan               | Licensing, Notification, Audit
            PlanDowngraded         | subscription_id, old_plan, new_plan, effective_at | Notification, Audit
            LicenseGranted         | license_id, guild_id, plan_code                   | Audit
            LicenseExtended        | license_id, new_expires_at                        | Audit
            LicenseDowngraded      | license_id, old_plan, new_plan                    | Notification, Audit
            LicenseSuspended       | license_id, reason                                | Notification, Audit
            LicenseCanceled        | license_id                                        | Audit
            SnapshotCreated        | snapshot_id, guild_id, trigger                    | Audit
            SnapshotDeleted        | snapshot_id, guild_id                             | Audit
            RestoreStarted         | restore_job_id, snapshot_id, guild_id             | Notification, Audit
            RestoreCompleted       | restore_job_id, result_summary                    | Notification, Audit
            RestoreFailed          | restore_job_id, error_summary                     | Notification, Audit
            AntiNukeTriggered      | guild_id, detected_pattern, suspects              | Notification, Audit
            AntiNukeActioned       | guild_id, actions_taken                           | Notification, Audit
            MemberJoinedViaWebJoin | member_id, guild_id, slug                         | Audit
            MemberRestored         | member_id, guild_id, restored_roles               | Audit
            UserRegistered         | user_id, discord_user_id                          | Audit
            UserSessionCreated     | user_id, session_id                               | Audit
            """;

    /** Subscribers that the document does not list; the pages of coverage say why. */
    private static final Map<String, Set<String>> ADDED_SUBSCRIBERS = Map.of(
            "BotInstalled", Set.of("notification"),
            "GuildOwnerChanged", Set.of("notification"),
            "RestoreStarted", Set.of("recovery"),
            "AntiNukeTriggered", Set.of("recovery"),
            "UserRegistered", Set.of("push"));

    private static final Pattern PASCAL_CASE = Pattern.compile("^([A-Z][a-z0-9]+)+$");
    private static final Pattern PAST_TENSE = Pattern.compile("ed(Final|ViaWebJoin)?$");

    @Autowired
    private ApplicationContext beans;

    @Autowired
    @OutboxMapper
    private JsonMapper json;

    @Test
    void eventsAreThoseOfTheCatalog() {
        assertThat(events().keySet())
                .containsExactlyInAnyOrderElementsOf(catalog(1).keySet());
    }

    @Test
    void eventsAreNamedInThePastTense() {
        assertThat(events().keySet()).allMatch(PASCAL_CASE.asPredicate());
        assertThat(events().keySet()).allMatch(PAST_TENSE.asPredicate());
    }

    @Test
    void payloadsHoldTheFieldsOfTheCatalog() {
        Map<String, Set<String>> fields =
                events().values().stream().collect(Collectors.toMap(Class::getSimpleName, this::fieldsOf));

        assertThat(fields).containsExactlyInAnyOrderEntriesOf(catalog(1));
    }

    @Test
    void subscribersAreThoseOfTheCatalogAndTheAdded() {
        Map<String, Set<String>> subscribers = events().keySet().stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        (event) -> handlerMethods()
                                .filter((method) -> isSubscribed(method, event))
                                .map((method) -> contextOf(method.getDeclaringClass()))
                                .collect(Collectors.toCollection(TreeSet::new))));
        Map<String, Set<String>> catalog = catalog(2);

        assertThat(subscribers)
                .allSatisfy((event, contexts) -> assertThat(contexts).containsAll(catalog.get(event)));
        subscribers.forEach((event, contexts) -> contexts.removeAll(catalog.get(event)));
        subscribers.values().removeIf(Set::isEmpty);
        assertThat(subscribers).containsExactlyInAnyOrderEntriesOf(ADDED_SUBSCRIBERS);
    }

    private static Map<String, Class<?>> events() {
        return Stream.of(
                        GuildEvent.class,
                        BillingEvent.class,
                        LicensingEvent.class,
                        RecoveryEvent.class,
                        MemberEvent.class,
                        IdentityEvent.class)
                .flatMap(EventCatalogTest::concrete)
                .distinct()
                .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));
    }

    private Stream<Method> handlerMethods() {
        return Stream.of(beans.getBeanDefinitionNames())
                .map((bean) -> AopUtils.getTargetClass(beans.getBean(bean)))
                .filter((type) -> type.getName().startsWith(SERVICE))
                .flatMap((type) -> Stream.of(type.getDeclaredMethods()))
                .filter((method) -> method.isAnnotationPresent(OutboxHandler.class));
    }

    private static boolean isSubscribed(Method method, String event) {
        List<String> types = List.of(method.getAnnotation(OutboxHandler.class).eventTypes());
        return types.isEmpty()
                ? concrete(method.getParameterTypes()[0])
                        .anyMatch((type) -> type.getSimpleName().equals(event))
                : types.contains(event) || types.contains("*");
    }

    /** The classes that a sealed type permits, or the class itself. */
    private static Stream<Class<?>> concrete(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(EventCatalogTest::concrete)
                : Stream.of(type);
    }

    /** The package of a class, within that of the service. */
    private static String contextOf(Class<?> type) {
        return type.getName().substring(SERVICE.length()).replaceFirst("\\..*", "");
    }

    /** One column of the catalogue by event. */
    private static Map<String, Set<String>> catalog(int column) {
        return CATALOG.lines()
                .map((line) -> line.split("\\|"))
                .collect(Collectors.toMap(
                        (cells) -> cells[0].strip(),
                        (cells) -> new TreeSet<>(List.of(
                                cells[column].strip().toLowerCase(Locale.ROOT).split(", ")))));
    }

    private Set<String> fieldsOf(Class<?> event) {
        JsonNode payload = json.valueToTree(anyInstanceOf(event));
        return new TreeSet<>(payload.propertyNames());
    }

    private static Object anyInstanceOf(Class<?> event) {
        try {
            Class<?>[] types = Stream.of(event.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new);
            Constructor<?> constructor = event.getDeclaredConstructor(types);
            return constructor.newInstance(Stream.of(types)
                    .map((type) -> Array.get(Array.newInstance(type, 1), 0))
                    .toArray());
        } catch (ReflectiveOperationException ex) {
            throw new AssertionError(ex);
        }
    }
}
