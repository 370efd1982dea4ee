"""What else the modules of the SDKs offer; "!": an exception.

`UPDATE_GOLDEN=1 tests/e2e/test_frameworks_sdk.py` writes it.
"""

from typing import Dict

OTHERS: Dict[str, str] = {
    "azure.ai.ml":
        "RayDistribution load_batch_deployment load_batch_endpoint load_capability_host "
        "load_compute load_connection load_data load_datastore load_deployment_template "
        "load_environment load_feature_set load_feature_store load_feature_store_entity "
        "load_index load_marketplace_subscription load_model load_model_package "
        "load_online_deployment load_online_endpoint load_registry load_serverless_endpoint "
        "load_workspace load_workspace_connection spark",
    "azure.ai.ml.constants":
        "AcrAccountSku BatchDeploymentOutputAction DataGenerationTaskType DataGenerationType "
        "DistributionType IPProtectionLevel ImageClassificationModelNames "
        "ImageInstanceSegmentationModelNames ImageObjectDetectionModelNames ImportSourceType "
        "InputTypes JobType ListViewType ManagedServiceIdentityType ModelType "
        "MonitorDatasetContext MonitorFeatureType MonitorMetricName MonitorModelType "
        "MonitorSignalType MonitorTargetTasks NlpLearningRateScheduler NlpModels ParallelTaskType "
        "Scope StorageAccountType TabularTrainingMode TimeZone WorkspaceKind",
    "azure.ai.ml.entities":
        "APIKeyConnection AadCredentialConfiguration AcceleratorMap AccessKeyConfiguration "
        "AccountKeyConfiguration AlertNotification AmlComputeNodeInfo AmlComputeSshSettings "
        "ApiKeyConfiguration Asset AssignedUserConfiguration AutoPauseSettings AutoScaleSettings "
        "AzureAISearchConfig AzureAISearchConnection AzureAIServicesConnection AzureBlobDatastore "
        "AzureBlobStoreConnection AzureContentSafetyConnection AzureDataLakeGen1Datastore "
        "AzureDataLakeGen2Datastore AzureFileDatastore AzureMLBatchInferencingServer "
        "AzureMLOnlineInferencingServer AzureOpenAIConnection AzureOpenAIDeployment "
        "AzureSpeechServicesConnection BaseEnvironment BaselineDataRange BatchDeployment "
        "BatchEndpoint BatchJob BatchRetrySettings CapabilityHost CapabilityHostKind "
        "CategoricalDriftMetrics CertificateConfiguration CodeConfiguration Compute "
        "ComputeConfiguration ComputeInstanceSshSettings ComputePowerAction ComputeRuntime "
        "ComputeSchedules ComputeStartStopSchedule ContainerRegistryCredential CreatedByType "
        "CustomApplications CustomInferencingServer CustomModelFineTuningJob "
        "CustomMonitoringMetricThreshold CustomMonitoringSignal CustomerManagedKey DataAsset "
        "DataAvailabilityStatus DataCollector DataColumn DataColumnType DataDriftMetricThreshold "
        "DataDriftSignal DataImport DataQualityMetricThreshold DataQualityMetricsCategorical "
        "DataQualityMetricsNumerical DataQualitySignal DataSegment Datastore DefaultActionType "
        "DefaultScaleSettings Deployment DeploymentCollection DeploymentTemplate "
        "DeploymentTemplateReference DiagnoseRequestProperties DiagnoseResponseResult "
        "DiagnoseResponseResultValue DiagnoseResult DiagnoseWorkspaceParameters Endpoint "
        "EndpointAadToken EndpointAuthKeys EndpointAuthToken EndpointConnection EndpointsSettings "
        "FADProductionData Feature FeatureAttributionDriftMetricThreshold "
        "FeatureAttributionDriftSignal FeatureSet FeatureSetBackfillMetadata "
        "FeatureSetBackfillRequest FeatureSetMaterializationMetadata FeatureSetSpecification "
        "FeatureStore FeatureStoreEntity FeatureStoreSettings FeatureWindow FixedInputData "
        "FqdnDestination GenerationSafetyQualityMonitoringMetricThreshold "
        "GenerationSafetyQualitySignal GenerationTokenStatisticsMonitorMetricThreshold "
        "GenerationTokenStatisticsSignal GitSource Hub IPRule ImageMetadata ImageSettings "
        "ImportDataSchedule Index IndexDataSource IndexModelConfiguration InputPort "
        "IntellectualProperty IsolationMode Job JobResources KubernetesCompute "
        "KubernetesOnlineDeployment KubernetesOnlineEndpoint LlmData LocalSource ManagedNetwork "
        "ManagedNetworkProvisionStatus ManagedOnlineDeployment ManagedOnlineEndpoint "
        "MarketplacePlan MarketplaceSubscription MaterializationComputeResource "
        "MaterializationSettings MaterializationStore MaterializationType "
        "MicrosoftOneLakeConnection ModelBatchDeployment ModelBatchDeploymentSettings "
        "ModelConfiguration ModelPackage ModelPackageInput "
        "ModelPerformanceClassificationThresholds ModelPerformanceMetricThreshold "
        "ModelPerformanceRegressionThresholds ModelPerformanceSignal MonitorDefinition "
        "MonitorFeatureFilter MonitorInputData MonitorSchedule MonitoringTarget NetworkAcls "
        "NetworkSettings NoneCredentialConfiguration NotebookAccessKeys Notification "
        "NumericalDriftMetrics OneLakeArtifact OneLakeConnectionArtifact OneLakeDatastore "
        "OnlineDeployment OnlineEndpoint OnlineRequestSettings OnlineScaleSettings "
        "OpenAIConnection OutboundRule PackageInputPathId PackageInputPathUrl "
        "PackageInputPathVersion Parallel ParallelComponent ParameterizedCommand "
        "PatTokenConfiguration Pipeline PipelineComponent PipelineComponentBatchDeployment "
        "PipelineJobSettings PredictionDriftMetricThreshold PredictionDriftSignal PrivateEndpoint "
        "PrivateEndpointDestination ProbeSettings ProductionData Project ReferenceData Registry "
        "RegistryRegionDetails RequestLogging Resource ResourceRequirementsSettings "
        "ResourceSettings Route SasTokenConfiguration Schedule ScheduleState "
        "ScheduleTriggerResult ScriptReference SerpConnection ServerlessComputeSettings "
        "ServerlessConnection ServerlessEndpoint ServerlessSparkCompute ServiceInstance "
        "ServicePrincipalConfiguration ServiceTagDestination SetupScripts Spark SparkComponent "
        "SparkJob SparkJobEntry SparkJobEntryType SparkResourceConfiguration StaticInputData "
        "Sweep SynapseSparkCompute SystemCreatedAcrAccount SystemCreatedStorageAccount SystemData "
        "TargetUtilizationScaleSettings TrailingInputData TritonInferencingServer "
        "UnsupportedCompute Usage UsageName UsageUnit UsernamePasswordConfiguration "
        "ValidationResult VirtualMachineCompute VirtualMachineSshSettings VmSize VolumeSettings "
        "WorkspaceConnection WorkspaceKeys WorkspaceModelReference",
    "azure.ai.ml.exceptions":
        "AssetException! AssetPathException! CannotSetAttributeError! "
        "CloudArtifactsNotSupportedError! ComponentException! DeploymentException! "
        "DockerEngineNotAvailableError! EmptyDirectoryError! ErrorCategory ErrorTarget "
        "InvalidLocalEndpointError! InvalidVSCodeRequestError! JobParsingError! KeywordError! "
        "LocalDeploymentGPUNotAvailable! LocalEndpointImageBuildError! "
        "LocalEndpointInFailedStateError! LocalEndpointNotFoundError! MissingPositionalArgsError! "
        "ModelException! MultipleLocalDeploymentsFoundError! MultipleValueError! "
        "ParamValueNotExistsError! PipelineChildJobError! RequiredLocalArtifactsNotFoundError! "
        "ScheduleException! TooManyPositionalArgsError! UnexpectedAttributeError! "
        "UnexpectedKeywordError! UnsupportedOperationError! UnsupportedParameterKindError! "
        "UserErrorException! VSCodeCommandNotFound! ValidationErrorType ValidationException!",
    "azure.ai.ml.operations":
        "AzureOpenAIDeploymentOperations BatchDeploymentOperations BatchEndpointOperations "
        "CapabilityHostsOperations DatastoreOperations DeploymentTemplateOperations "
        "EvaluatorOperations FeatureSetOperations FeatureStoreEntityOperations "
        "FeatureStoreOperations IndexOperations MarketplaceSubscriptionOperations "
        "OnlineDeploymentOperations OnlineEndpointOperations RegistryOperations "
        "ServerlessEndpointOperations WorkspaceConnectionsOperations "
        "WorkspaceOutboundRuleOperations",
    "azure.ai.ml.parallel":
        "ParallelJob",
    "azure.ai.ml.sweep":
        "SamplingAlgorithm",
    "azure.core.exceptions":
        "ClientAuthenticationError! DecodeError! DeserializationError! ODataV4Error! "
        "ODataV4Format ResourceExistsError! ResourceModifiedError! ResourceNotModifiedError! "
        "ResponseNotReadError! SerializationError! ServiceRequestError! ServiceResponseError! "
        "StreamClosedError! StreamConsumedError! TooManyRedirectsError!",
    "azure.identity":
        "AuthenticationRecord AuthenticationRequiredError! AzureAuthorityHosts "
        "CredentialUnavailableError! KnownAuthorities TokenCachePersistenceOptions "
        "get_bearer_token_provider",
    "azure.ml.component":
        "Environment PipelineRunSettings Run RunSettings",
    "azure.ml.component.dsl":
        "_component _sweep_component command_component compile condition condition_output "
        "generate_package parameter_group",
    "azureml.core":
        "Image Keyvault LinkedService PrivateEndPoint PrivateEndPointConfig ScriptRun "
        "SynapseWorkspaceLinkedServiceConfiguration Webservice attach_legacy_compute_target "
        "diagnostic_log get_run is_compute_target_prepared prepare_compute_target "
        "remove_legacy_compute_target",
    "azureml.core.authentication":
        "AbstractAuthentication AccessToken ArmTokenAuthentication Audience "
        "AuthenticationException! AzureMLException! AzureMLTokenAuthentication Daemon LoggedLock "
        "NewLoggingLevel RunEnvironmentException! ServiceContext TokenAuthentication "
        "UserErrorException! execute_func fetch_tenantid_from_aad_token perform_interactive_login "
        "resource_to_scopes",
    "azureml.core.compute":
        "AdlaCompute AksCompute BatchCompute DataFactoryCompute DatabricksCompute DsvmCompute "
        "HDInsightCompute KubernetesCompute KustoCompute RemoteCompute SynapseCompute",
    "azureml.core.compute_target":
        "AbstractComputeTarget ComputeTargetException! LocalTarget UserErrorException! "
        "attach_legacy_compute_target is_compute_target_prepared prepare_compute_target "
        "remove_legacy_compute_target",
    "azureml.core.conda_dependencies":
        "DEFAULT_CHAINER_VERSION DEFAULT_SDK_ORIGIN UserErrorException! get_run_config_dir_name "
        "normalize_windows_paths",
    "azureml.core.container_registry":
        "RegistryIdentity",
    "azureml.core.dataset":
        "FileEncoding HistogramCompareMethod PromoteHeadersBehavior SkipLinesBehavior deprecated "
        "track",
    "azureml.core.datastore":
        "UserErrorException! experimental",
    "azureml.core.environment":
        "AzureMLException! DatabricksSection DockerBuildContext DockerImageDetails "
        "DockerImagePlatform EnvironmentClient EnvironmentReference ImageBuildDetails "
        "RCranPackage RGitHubPackage RSection SparkEnvironment SparkPackage SparkSection "
        "UserErrorException!",
    "azureml.core.experiment":
        "ChainedIdentity DEFAULT_GPU_IMAGE HasExperimentPortal UserErrorException! ViewType "
        "WorkspaceClient check_for_lock_file check_valid_resource_name get_docs_url "
        "get_experiment_submit make_link to_html",
    "azureml.core.image":
        "ContainerImage Image UnknownImage",
    "azureml.core.model":
        "AksCompute ArtifactsClient AssetsClient ContainerRegistry Dataset DatasetSnapshot "
        "Environment Experiment FileDataset InferenceConfig ModelNotFoundException! ModelPackage "
        "ModelProfile ModelsClient ResourceConfiguration RunEnvironmentException! TabularDataset "
        "UserErrorException! WebserviceException! add_sdk_to_requirements "
        "build_and_validate_no_code_environment_image_request check_duplicate_properties "
        "convert_parts_to_environment dataset_to_dataset_reference download_docker_build_context "
        "download_file get_docker_client get_mms_operation get_run "
        "get_workspace_registry_credentials joinPath login_to_docker_registry make_http_request "
        "model_name_validation populate_model_not_found_details pull_docker_image "
        "serialize_object_without_none_values submit_mms_operation upload_dependency "
        "validate_entry_script_name validate_path_exists_or_throw webservice_name_validation "
        "wrap_execution_script_with_source_directory",
    "azureml.core.run":
        "AbstractDataset ActivityFailedException! ChainedIdentity DataPath Datastore "
        "ExperimentExecutionException! InputDatasets Keyvault LinkOutput OutputDatasets "
        "RunEnvironmentException! RunStatus RunTypeV2 SnapshotException! UserErrorException! "
        "camel_case_transformer create_session_with_retry download_file_stream experimental "
        "get_run global_tracking_info_registry model_name_validation",
    "azureml.core.runconfig":
        "AbstractComputeTarget AmlComputeConfiguration ApplicationEndpointConfiguration "
        "AzureContainerRegistry Cr Data DataLocation DataPath DataReferenceConfiguration "
        "DatabricksCluster DatabricksEnvironment DatabricksSection DatacacheConfiguration "
        "DatacacheConsumptionConfig Dataset DatasetConsumptionConfig DatasetRegistrationOptions "
        "EggLibrary GlobsOptions HdiConfiguration HistoryConfiguration JarLibrary "
        "KubernetesComputeConfiguration MavenLibrary MountOptions OutputData OutputOptions "
        "ParallelTaskConfiguration PyPiLibrary RCranLibrary RegistrationOptions "
        "RunConfigurationException! SparkConfiguration SparkEnvironment SparkSection "
        "UploadOptions Uri UserErrorException! experimental get_run_config_dir_name "
        "get_run_config_dir_path to_camel_case to_snake_case",
    "azureml.core.script_run_config":
        "ChainedIdentity Data DataPath DataPathComputeBinding DatacacheConfiguration "
        "DatacacheConsumptionConfig RunConfigurationException! UserErrorException! "
        "collect_datasets_usage experiment_method get_run_config_from_script_run "
        "global_tracking_info_registry submit",
    "azureml.core.webservice":
        "AciWebservice AksEndpoint AksWebservice LocalWebservice UnknownWebservice Webservice",
    "azureml.core.workspace":
        "Dataset Image Keyvault LinkedService Model ProjectSystemException! UserErrorException! "
        "Webservice WorkspaceException! check_and_create_dir check_valid_resource_name "
        "convert_dict_keys_to_camel_case get_config_file_name get_run_config_dir_name "
        "give_warning normalize_file_ext normalize_path normalize_path_and_join "
        "traverse_up_path_and_find_file",
    "azureml.data":
        "DataType DatacacheStore HDFSOutputDatasetConfig LinkFileOutputDatasetConfig "
        "LinkTabularOutputDatasetConfig",
    "azureml.data.dataset_factory":
        "AbstractDatastore AzurePostgreSqlDatastore DataPath DataReference DataType "
        "PromoteHeadersBehavior UserErrorException! dataprep experimental get_progress_logger "
        "parse_target trace track write_spark_dataframe",
    "azureml.exceptions":
        "ActivityFailedException! AuthenticationException! AzureMLAggregatedException! "
        "AzureMLException! ComputeTargetException! DatasetTimestampMissingError! "
        "DiscoveryUrlNotFoundException! ExperimentExecutionException! ModelNotFoundException! "
        "ModelPathNotFoundException! ParallelRunException! ProjectSystemException! "
        "RunConfigurationException! RunEnvironmentException! ServiceException! SnapshotException! "
        "TrainingException! UserErrorException! WebserviceException! WorkspaceException! "
        "WorkspacePrivateEndpointException!",
    "azureml.pipeline.core":
        "InputPortBinding OutputPortBinding PipelineDataset PipelineDraft PipelineEndpoint "
        "PublishedPipeline Schedule ScheduleRecurrence StepRunOutput TimeZone TrainingOutput",
    "azureml.pipeline.core.graph":
        "AbstractDataset DataSource DataSourceDef DataSourceNode DataType Dataset "
        "DatasetConsumptionConfig Edge FileDataset Graph HasPipelinePortal InputPort "
        "InputPortBinding Module ModuleDef ModuleNode Node OutputPort OutputPortBinding Param "
        "PipelineDataset PipelineOutputAbstractDataset PipelineRun PortDataReference "
        "PublishedPipeline SqlDataReference StoredProcedureParameter StoredProcedureParameterType "
        "TabularDataset TrainingOutput experiment_method make_link to_html",
    "azureml.pipeline.core.module":
        "AdlaCompute BatchCompute ModuleDef PipelineStep to_html",
    "azureml.pipeline.steps":
        "AdlaStep AutoMLStep AutoMLStepRun AzureBatchStep DataTransferStep DatabricksStep "
        "KustoStep RScriptStep SynapseSparkStep _HDInsightStep",
    "azureml.telemetry":
        "UserErrorException! add_diagnostics_properties get_diagnostics_collection_info "
        "get_event_logger get_telemetry_log_handler is_diagnostics_collection_info_available "
        "set_diagnostics_properties",
    "azureml.train.estimator":
        "MMLBaseEstimator MMLBaseEstimatorRunConfig _FrameworkBaseEstimator",
    "azureml.train.hyperdrive":
        "EarlyTerminationPolicy HyperParameterSampling",
    "azureml.train.hyperdrive.parameter_expressions":
        "AzureMLError HyperDriveConfigException! InvalidConfigSetting MissingChoiceValues",
    "azureml.train.hyperdrive.policy":
        "AzureMLError DictValidationInvalidArgument EarlyTerminationPolicy "
        "HyperDriveConfigException! HyperDriveRehydrateException! InvalidConfigSetting "
        "InvalidKeyInDict InvalidType RehydratePolicyNotFound",
    "azureml.train.hyperdrive.run":
        "AzureMLError ErrorResponseException! Experiment HyperDriveConfig "
        "HyperDriveConfigException! HyperDriveNotImplemented HyperDriveNotImplementedException! "
        "HyperDriveRunCancellationError InvalidType Run RunStatus TrainingException! Workspace",
    "azureml.train.hyperdrive.runconfig":
        "AzureMLError BayesianParameterSampling HyperDriveConfigException! InvalidConfigSetting "
        "InvalidType NoTerminationPolicy ResumeChildRunsContainsDuplicate "
        "ResumeChildRunsFromTooManyParentRuns ResumeChildRunsNotInTerminalState "
        "ResumeChildRunsWithoutParentRun Run RunStatus ScriptRunConfig TrainingException! "
        "WarmStartRunsDontMatch collect_datasets_usage convert_list_to_dict "
        "get_run_config_from_script_run",
    "azureml.train.hyperdrive.sampling":
        "AzureMLError DictValidationInvalidArgument DistributionValidationFailure "
        "HyperDriveConfigException! HyperDriveRehydrateException! HyperParameterSampling "
        "InvalidConfigSetting InvalidKeyInDict InvalidType RehydrateUnknownSampling",
    "azureml.train.sklearn":
        "experiment_method",
    "mldesigner":
        "IOContext OutputContext PipelineContext PipelineStage compile execute generate "
        "get_io_context get_root_pipeline_context",
    "mldesigner.dsl":
        "ParallelFor condition_output dynamic",
}
