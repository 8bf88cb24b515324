/** Addresses and their pages. */
import { lazy, useEffect } from "react";
import { Navigate, Outlet, Route, Routes, useLocation, useParams } from "react-router";
import { ModelUsersOnly, SuperusersOnly } from "./components/Allowed";
import { Later } from "./components/Later";
import { ModelGate } from "./components/ModelGate";
import { Failure, Loading } from "./components/States";
import { Shell } from "./components/Shell";
import { LiveProvider } from "./live/context";
import { ApplicationLayout } from "./pages/application/Layout";
import { ApplicationNotes, ModelNotes } from "./pages/annotations/Notes";
import { BlockedBanner } from "./pages/blocks/BlockedBanner";
import { DriftNote } from "./pages/bundles/Drift";
import { ModelLayout } from "./pages/model/Layout";
import { OverviewPage } from "./pages/model/OverviewPage";
import { ModelsPage } from "./pages/models/ModelsPage";
import { SignInPage } from "./pages/SignInPage";
import { useVisitor } from "./session";

const TopologyPage = lazy(() => import("./pages/model/TopologyPage"));
const WorkersPage = lazy(() => import("./pages/workers/WorkersPage"));

/** Once the first page has long been drawn. */
const LATER = 5_000;
const later = () => import("./pages/later");
type Page = keyof Awaited<ReturnType<typeof later>>;
const page = (name: Page) => lazy(async () => ({ default: (await later())[name] }));

const AccessPage = page("AccessPage");
const AccountPage = page("AccountPage");
const AlertsPage = page("AlertsPage");
const ApplicationActionsPage = page("ApplicationActionsPage");
const ApplicationConfigPage = page("ApplicationConfigPage");
const ApplicationGrantsPage = page("ApplicationGrantsPage");
const ApplicationHistoryPage = page("ApplicationHistoryPage");
const ApplicationRelationsPage = page("ApplicationRelationsPage");
const ApplicationRequestsPage = page("ApplicationRequestsPage");
const ApplicationResourcesPage = page("ApplicationResourcesPage");
const ApplicationSecretsPage = page("ApplicationSecretsPage");
const ApplicationUnitsPage = page("ApplicationUnitsPage");
const AuditPage = page("AuditPage");
const BlocksPage = page("BlocksPage");
const BundlesPage = page("BundlesPage");
const CharmPage = page("CharmPage");
const CharmsPage = page("CharmsPage");
const ControllerPage = page("ControllerPage");
const DeployPage = page("DeployPage");
const HookRunPage = page("HookRunPage");
const HooksPage = page("HooksPage");
const IncidentsPage = page("IncidentsPage");
const LogsPage = page("LogsPage");
const MachinePage = page("MachinePage");
const ModelConfigPage = page("ModelConfigPage");
const ModelRelationsPage = page("ModelRelationsPage");
const NotFoundPage = page("NotFoundPage");
const OperationPage = page("OperationPage");
const OperationsPage = page("OperationsPage");
const ReachabilityPage = page("ReachabilityPage");
const RegisterPage = page("RegisterPage");
const RelationPage = page("RelationPage");
const SandboxPage = page("SandboxPage");
const SecretPage = page("SecretPage");
const SecretsPage = page("SecretsPage");
const StorageListPage = page("StorageListPage");
const StoragePage = page("StoragePage");
const TimelinePage = page("TimelinePage");
const UnitPage = page("UnitPage");
const UserPage = page("UserPage");
const UsersPage = page("UsersPage");

export function App() {
  return (
    <Routes>
      <Route path="/sign-in" element={<SignInPage />} />
      <Route path="/register" element={<Later what="the page" page={<RegisterPage />} />} />
      <Route element={<SignedIn />}>
        <Route element={<WholeController />}>
          <Route index element={<Navigate to="/models" replace />} />
          <Route path="/models" element={<ModelsPage />} />
          <Route
            path="/audit"
            element={
              <SuperusersOnly title="Audit">
                <AuditPage />
              </SuperusersOnly>
            }
          />
          <Route
            path="/workers"
            element={
              <SuperusersOnly title="Workers">
                <Later what="the engine" page={<WorkersPage />} />
              </SuperusersOnly>
            }
          />
          <Route path="/alerts" element={<AlertsPage />} />
          <Route path="/controller" element={<ControllerPage />} />
          <Route
            path="/users"
            element={
              <SuperusersOnly title="Users">
                <Outlet />
              </SuperusersOnly>
            }
          >
            <Route index element={<UsersPage />} />
            <Route path=":user" element={<UserPage />} />
          </Route>
          <Route path="/account" element={<AccountPage />} />
          <Route path="*" element={<NotFoundPage />} />
        </Route>
        <Route path="/models/:model" element={<OneModel />}>
          <Route element={<ModelLayout />}>
            <Route
              index
              element={
                <>
                  <DriftNote />
                  <OverviewPage />
                  <ModelNotes />
                </>
              }
            />
            <Route
              path="topology"
              element={<Later what="the topology" page={<TopologyPage />} />}
            />
            <Route path="incidents" element={<IncidentsPage />} />
            <Route path="timeline" element={<TimelinePage />} />
            <Route path="relations" element={<ModelRelationsPage />} />
            <Route path="reachability" element={<ReachabilityPage />} />
            <Route path="operations" element={<OperationsPage />} />
            <Route path="hooks" element={<HooksPage />} />
            <Route path="sandbox" element={<SandboxPage />} />
            <Route path="logs" element={<LogsPage />} />
            <Route path="charms" element={<CharmsPage />} />
            <Route path="bundles" element={<BundlesPage />} />
            <Route path="secrets" element={<SecretsPage />} />
            <Route path="storage" element={<StorageListPage />} />
            <Route path="config" element={<ModelConfigPage />} />
            <Route path="blocks" element={<BlocksPage />} />
            <Route
              element={
                <ModelUsersOnly who="admin">
                  <Outlet />
                </ModelUsersOnly>
              }
            >
              <Route path="access" element={<AccessPage />} />
              <Route path="audit" element={<AuditPage />} />
            </Route>
          </Route>
          <Route
            path="deploy"
            element={
              <ModelUsersOnly who="write" title="Deploy">
                <DeployPage />
              </ModelUsersOnly>
            }
          />
          <Route path="charms/:charm" element={<CharmPage />} />
          <Route path="machines/:machine" element={<MachinePage />} />
          <Route path="relations/:relation" element={<RelationPage />} />
          <Route path="operations/:operation" element={<OperationPage />} />
          <Route path="hooks/:run" element={<HookRunPage />} />
          <Route path="secrets/:secret" element={<SecretPage />} />
          <Route path="storage/:name/:number" element={<StoragePage />} />
          <Route path="units/:application/:number" element={<UnitPage />} />
          <Route path="applications/:application" element={<ApplicationLayout />}>
            <Route
              index
              element={
                <>
                  <ApplicationUnitsPage />
                  <ApplicationNotes />
                </>
              }
            />
            <Route path="relations" element={<ApplicationRelationsPage />} />
            <Route path="actions" element={<ApplicationActionsPage />} />
            <Route path="resources" element={<ApplicationResourcesPage />} />
            <Route path="config" element={<ApplicationConfigPage />} />
            <Route path="capabilities" element={<ApplicationGrantsPage />} />
            <Route path="secrets" element={<ApplicationSecretsPage />} />
            <Route path="requests" element={<ApplicationRequestsPage />} />
            <Route path="history" element={<ApplicationHistoryPage />} />
            <Route path="hooks" element={<HooksPage />} />
          </Route>
          <Route path="*" element={<NotFoundPage />} />
        </Route>
      </Route>
    </Routes>
  );
}

function SignedIn() {
  const { session, error } = useVisitor();
  const { pathname, search } = useLocation();
  useEffect(() => {
    // Who leaves a page soon waits for the others; nobody else does.
    const timer = setTimeout(() => void later().catch(() => {}), LATER);
    return () => clearTimeout(timer);
  }, []);
  if (session) return <Outlet />;
  if (session === null) {
    const after = pathname + search;
    const to = after === "/" ? "/sign-in" : `/sign-in?then=${encodeURIComponent(after)}`;
    return <Navigate to={to} replace />;
  }
  return (
    <main className="page">
      {error ? (
        <Failure error={error} cli="periapt controllers" onRetry={() => location.reload()} />
      ) : (
        <Loading what="the session" />
      )}
    </main>
  );
}

function WholeController() {
  return (
    <LiveProvider model={null}>
      <Shell>
        <Later what="the page" page={<Outlet />} />
      </Shell>
    </LiveProvider>
  );
}

function OneModel() {
  const { model = "" } = useParams();
  return (
    <LiveProvider key={model} model={model}>
      <Shell model={model}>
        <ModelGate model={model}>
          <BlockedBanner model={model} />
          <Later what="the page" page={<Outlet />} />
        </ModelGate>
      </Shell>
    </LiveProvider>
  );
}
