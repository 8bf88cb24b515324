/** Addresses and their pages. */
import { lazy, Suspense } from "react";
import { Navigate, Outlet, Route, Routes, useLocation, useParams } from "react-router";
import { ModelUsersOnly, SuperusersOnly } from "./components/Allowed";
import { ModelGate } from "./components/ModelGate";
import { Failure, Loading } from "./components/States";
import { Shell } from "./components/Shell";
import { LiveProvider } from "./live/context";
import { AccountPage } from "./pages/account/AccountPage";
import { ApplicationActionsPage } from "./pages/application/ActionsPage";
import { ApplicationConfigPage } from "./pages/application/ConfigPage";
import { ApplicationGrantsPage } from "./pages/application/GrantsPage";
import { ApplicationHistoryPage } from "./pages/application/HistoryPage";
import { ApplicationLayout } from "./pages/application/Layout";
import { ApplicationRelationsPage } from "./pages/application/RelationsPage";
import { ApplicationRequestsPage } from "./pages/application/RequestsPage";
import { ApplicationResourcesPage } from "./pages/application/ResourcesPage";
import { ApplicationSecretsPage } from "./pages/application/SecretsPage";
import { ApplicationUnitsPage } from "./pages/application/UnitsPage";
import { AlertsPage } from "./pages/alerts/AlertsPage";
import { ApplicationNotes, ModelNotes } from "./pages/annotations/Notes";
import { AuditPage } from "./pages/AuditPage";
import { BlocksPage } from "./pages/blocks/BlocksPage";
import { BlockedBanner } from "./pages/blocks/BlockedBanner";
import { BundlesPage } from "./pages/bundles/BundlesPage";
import { DriftNote } from "./pages/bundles/Drift";
import { CharmPage } from "./pages/charms/CharmPage";
import { CharmsPage } from "./pages/charms/CharmsPage";
import { ControllerPage } from "./pages/controller/ControllerPage";
import { DeployPage } from "./pages/deploy/DeployPage";
import { HookRunPage } from "./pages/hooks/HookRunPage";
import { HooksPage } from "./pages/HooksPage";
import { IncidentsPage } from "./pages/incidents/IncidentsPage";
import { LogsPage } from "./pages/LogsPage";
import { MachinePage } from "./pages/MachinePage";
import { AccessPage } from "./pages/model/AccessPage";
import { ModelConfigPage } from "./pages/model/ConfigPage";
import { ModelLayout } from "./pages/model/Layout";
import { OverviewPage } from "./pages/model/OverviewPage";
import { ReachabilityPage } from "./pages/model/ReachabilityPage";
import { ModelsPage } from "./pages/models/ModelsPage";
import { NotFoundPage } from "./pages/NotFoundPage";
import { OperationPage } from "./pages/operations/OperationPage";
import { OperationsPage } from "./pages/operations/OperationsPage";
import { ModelRelationsPage } from "./pages/relations/ModelRelationsPage";
import { RelationPage } from "./pages/relations/RelationPage";
import { RegisterPage } from "./pages/RegisterPage";
import { SandboxPage } from "./pages/sandbox/SandboxPage";
import { SecretPage } from "./pages/secrets/SecretPage";
import { SecretsPage } from "./pages/secrets/SecretsPage";
import { SignInPage } from "./pages/SignInPage";
import { TimelinePage } from "./pages/timeline/TimelinePage";
import { StorageListPage } from "./pages/storage/StorageListPage";
import { StoragePage } from "./pages/storage/StoragePage";
import { UnitPage } from "./pages/unit/UnitPage";
import { UserPage } from "./pages/users/UserPage";
import { UsersPage } from "./pages/users/UsersPage";
import { useVisitor } from "./session";

const TopologyPage = lazy(() => import("./pages/model/TopologyPage"));
const WorkersPage = lazy(() => import("./pages/workers/WorkersPage"));

export function App() {
  return (
    <Routes>
      <Route path="/sign-in" element={<SignInPage />} />
      <Route path="/register" element={<RegisterPage />} />
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

function Later({ what, page }: { what: string; page: React.ReactNode }) {
  return <Suspense fallback={<Loading what={what} rows={8} />}>{page}</Suspense>;
}

function SignedIn() {
  const { session, error } = useVisitor();
  const { pathname, search } = useLocation();
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
        <Outlet />
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
          <Outlet />
        </ModelGate>
      </Shell>
    </LiveProvider>
  );
}
